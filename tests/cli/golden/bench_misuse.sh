# What clmove bench refuses: the command line with exit status 2, a file of workloads and what cannot be measured with 1.
export CLMOVE_DEVICE=host
try clmove bench frobnicate
try clmove bench tile more --shape 1 --element-bytes 1 --repeats 1
try clmove bench tile
try clmove bench tile --shape 1 --element-bytes 1
try clmove bench tile --shape 1 --element-bytes 1 --block-size 2
try clmove bench tile --shape 1 --element-bytes 1 --repeats 1 --sweep tile
try clmove bench tile --shape 1 --element-bytes 1 --repeats 1 --workloads list.json
try clmove bench tile --shape 1 --element-bytes 1 --repeats 1 --only tile
try clmove bench --sweep tile --only tile
try clmove bench --sweep reshape
try clmove bench --sweep move
try clmove bench --sweep tile --workloads list.json
try clmove bench --start --cold
try clmove bench --start --only tile
try clmove bench --start --sweep tile
try clmove bench --start --workloads list.json
try clmove bench --start --transfer
try clmove bench --start=yes
try clmove bench --transfer=yes
try clmove bench --calibrate
try clmove bench --start --calibrate
try clmove bench --transfer --only no_such_name
try clmove bench --transfer --variant no_such_variant
try clmove bench tile --shape 0,2 --element-bytes 1 --repeats 1,2 --transfer
try clmove bench --start --repeats 1
try clmove bench tile --shape 0,2 --element-bytes 1 --repeats 1,2 --start
try clmove bench --repeats 1
try clmove bench --shape 1
try clmove bench --mode blocks_first
try clmove bench --seconds 0
try clmove bench --seconds -1
try clmove bench --seconds 1s
try clmove bench --seconds .
try clmove bench --seconds nan
try clmove bench --seconds 1e9
try clmove bench --device ''
try clmove bench --json=yes
try clmove bench --only no_such_name
try clmove bench --variant no_such_variant
try clmove bench tile --shape 0,2 --element-bytes 1 --repeats 1,2
try clmove bench space-to-depth --shape 1,1,3,4 --element-bytes 1 --block-size 2 --mode blocks_first
try clmove bench tile --shape 4,5 --element-bytes 4 --repeats 1,2 --variant copy

# workloads TEXT: tries a file that holds it.
workloads() {
    printf 'list.json: %s\n' "$1"
    printf '%s\n' "$1" >list.json
    try clmove bench --workloads list.json
}
try clmove bench --workloads no_such_file.json
workloads ''
workloads '[{]'
workloads '{}'
workloads '[]'
workloads '[1]'
workloads '[{"op": "tile", "dtype": "u8", "shape": [1], "repeats": [2]}]'
workloads '[{"name": "", "op": "tile", "dtype": "u8", "shape": [1], "repeats": [2]}]'
workloads '[{"name": "a\nb", "op": "tile", "dtype": "u8", "shape": [1], "repeats": [2]}]'
workloads '[{"name": "a", "dtype": "u8", "shape": [1], "repeats": [2]}]'
workloads '[{"name": "a", "op": "space-to-depth", "dtype": "u8", "shape": [1], "repeats": [2]}]'
workloads '[{"name": "a", "op": "tile", "dtype": "int8", "shape": [1], "repeats": [2]}]'
workloads '[{"name": "a", "op": "tile", "dtype": 8, "shape": [1], "repeats": [2]}]'
workloads '[{"name": "a", "op": "tile", "dtype": "u8", "shape": 1, "repeats": [2]}]'
workloads '[{"name": "a", "op": "tile", "dtype": "u8", "shape": [1.5], "repeats": [2]}]'
workloads '[{"name": "a", "op": "tile", "dtype": "u8", "shape": [1]}]'
workloads '[{"name": "a", "op": "tile", "dtype": "u8", "shape": [-1], "repeats": [2]}]'
workloads '[{"name": "a", "op": "tile", "dtype": "u8", "shape": [1], "repeats": [2], "block_size": 2}]'
workloads '[{"name": "a", "op": "tile", "dtype": "u8", "shape": [1], "repeats": [2], "repeats": [3]}]'
workloads '[{"name": "a", "op": "tile", "dtype": "u8", "shape": [1], "repeats": [2], "reps": 7}]'
workloads '[{"name": "a", "op": "depth_to_space", "dtype": "u8", "shape": [1, 4, 2], "mode": "blocks_first"}]'
workloads '[{"name": "a", "op": "depth_to_space", "dtype": "u8", "shape": [1, 4, 2], "block_size": 2}]'
workloads '[{"name": "a", "op": "depth_to_space", "dtype": "u8", "shape": [1, 4, 2], "block_size": 2, "mode": "DCR"}]'
workloads '[{"name": "a", "op": "depth_to_space", "dtype": "u8", "shape": [1, 3, 2], "block_size": 2, "mode": "depth_first"}]'
# permutations TEXT: a permute workload with that. moves TEXT: a move workload whose steps are that.
permutations() { workloads "[{\"name\": \"a\", \"op\": \"permute\", \"dtype\": \"u8\", \"shape\": [2, 3], $1}]"; }
moves() { workloads "[{\"name\": \"a\", \"op\": \"move\", \"dtype\": \"u8\", \"shape\": [2, 3], \"steps\": $1}]"; }
permutations '"repeats": [1, 0]'
permutations '"order": "10"'
permutations '"order": [1, 1]'
permutations '"order": [0, 4294967297]'
permutations '"order": [0]'
workloads '[{"name": "a", "op": "reshape", "dtype": "u8", "shape": [1]}]'
workloads '[{"name": "a", "op": "move", "dtype": "u8", "shape": [2, 3]}]'
workloads '[{"name": "a", "op": "move", "dtype": "u8", "shape": [2, 3], "steps": [], "order": [1, 0]}]'
moves '[]'
moves '{"op": "permute", "order": [1, 0]}'
moves '[[1, 0]]'
moves '[{"op": "permute", "order": [1, 0]}, {"op": "move", "steps": []}]'
moves '[{"op": "permute", "order": [1, 0]}, {"op": "tile", "repeats": [1, 0], "name": "b"}]'
moves '[{"op": "permute", "order": [1, 0]}, {"op": "reshape", "dims": [6]}]'
moves '[{"op": "permute", "order": [1, 0]}, {"op": "reshape"}]'
moves '[{"op": "permute", "order": [2, 0]}]'
moves '[{"op": "space_to_depth", "block_size": 2}]'
moves '[{"op": "permute", "order": [1, 0]}, {"op": "reshape", "shape": [2, 3]}]'
moves '[{"op": "tile", "repeats": [1, 2]}, {"op": "expand", "shape": [2, 12]}]'
moves "[$(yes '{"op": "tile", "repeats": [1]},' | head -n 16) {\"op\": \"tile\", \"repeats\": [1]}]"
try clmove bench tile --shape 64,64 --element-bytes 4 --repeats 2,2 --device host --memory-budget 1K
