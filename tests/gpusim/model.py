# SPDX-License-Identifier: Apache-2.0
"""Runs workloads on the simulated GPU, one process each, and reports. Called by scripts/gpu_model.sh; see README.md."""
import argparse
import concurrent.futures
import json
import os
import subprocess
import tempfile

BITS = {"u8": 8, "i8": 8, "f16": 16, "bf16": 16, "u16": 16, "i16": 16, "f32": 32, "u32": 32, "i32": 32, "f64": 64, "u64": 64,
        "i64": 64, "c64": 64, "c128": 128, "u1": 1, "u2": 2, "u4": 4}

# The GPU that shares are predicted for: an H100 SXM. copy is what a plain copy reaches, read and written, of 3.35 TB/s. The weights
# fit 89 measurements of 18 maps in 5 geometries on one (README.md).
H100 = {"sms": 132, "hertz": 1.755e9, "copy": 2.85e12, "l2": 5.5e12, "issue": 4, "wavefronts": 1,
        "latency": {"l1": 40, "l2": 270, "dram": 600}, "alu_latency": 4,
        "weights": {"dram": 1, "l2": 0.62, "lsu": 0.61, "issue": 0.66, "latency": 1.47}}


def product(numbers):
    result = 1
    for n in numbers:
        result *= n
    return result


def size_of(case):
    elements = product(case["shape"])
    return elements * product(case.get("repeats", [1])) * BITS[case["dtype"]] // 8


def scale_down(case, most):
    """Outer dimensions and outer repeats are halved until the destination has at most that many bytes. The innermost dimension,
    its repeats, blocks and types stay."""
    case = json.loads(json.dumps(case))
    if case["op"] in ("permute", "yardstick") or most <= 0:
        return case
    shape, repeats, block = case["shape"], case.get("repeats"), case.get("block_size", 1)
    spatial = len(shape) - 2

    def shrink():
        if repeats:
            for i in range(len(repeats) - 1):
                if repeats[i] > 4:
                    repeats[i] = max(4, repeats[i] // 2)
                    return True
        for i in range(len(shape) - 1):
            step = 1
            if block > 1:
                step = 1 if i == 0 else (block ** spatial if case["op"] == "depth_to_space" else 1) if i == 1 else \
                    (block if case["op"] == "space_to_depth" else 1)
            if shape[i] // 2 >= max(step, 2 if repeats else 1):
                shape[i] = max(step, shape[i] // 2 // step * step)
                return True
        return False

    while size_of(case) > most and shrink():
        pass
    return case


def words_of(case):
    def listed(numbers):
        return ",".join(str(n) for n in numbers)
    if case["op"] == "yardstick":
        return [case["kernel"], str(case["shape"][1]), str(case["shape"][0])]
    words = [case["op"], str(BITS[case["dtype"]]), listed(case["shape"])]
    if case["op"] == "tile":
        return words + [listed(case["repeats"])]
    if case["op"] in ("space_to_depth", "depth_to_space"):
        return words + [str(case["block_size"]), case["mode"]]
    return words + [listed(case["order"]) if case["op"] == "permute" else "0"]


def run(built, case, warp, vectors):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        environment = dict(os.environ, CLMOVE_OPENCL_LIBRARY=os.path.join(built, "libgpusim.so"), CLMOVE_PROGRAM_CACHE="0",
                           CLMOVE_SELF_TEST="0", GPUSIM_OUT=out, GPUSIM_WARP=str(warp), GPUSIM_VECTORS=str(vectors),
                           CLMOVE_THREADS="1", CLMOVE_TUNING_FILE="", CLMOVE_CALIBRATION_FILE="")
        program = [os.path.join(built, "gpusim_run")]
        if case["op"] == "yardstick":
            source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "yardstick.cl")
            program = [os.path.join(built, "gpusim_yardstick"), source]
        done = subprocess.run(program + words_of(case), env=environment, capture_output=True, text=True)
        if not done.stdout:
            return {"error": done.stderr.strip()}
        result = json.loads(done.stdout)
        with open(out) as lines:
            result["launches"] = [json.loads(line) for line in lines]
        return result


def add_up(launches):
    total = json.loads(json.dumps(launches[0]))
    for launch in launches[1:]:
        for key, value in launch.items():
            if key in ("load", "store"):
                for name in value:
                    total[key][name] += value[name]
            elif key in ("load_sites", "store_sites"):
                for site, counts in value.items():
                    if site in total[key]:
                        for name in counts:
                            total[key][site][name] += counts[name]
                    else:
                        total[key][site] = counts
            elif isinstance(value, int) and key not in ("warp", "local", "groups_per_sm", "live_registers", "private_bytes",
                                                       "shared_bytes", "ptx_instructions"):
                total[key] += value
    return total


def ratio(a, b):
    return a / b if b else 0.0


def judge(result, gpu):
    c = add_up(result["launches"])
    written, useful = result["dst_bytes"], result["src_bytes"] + result["dst_bytes"]
    dram = 32 * (c["dram_reads"] + c["dram_writes"])
    resident = min(c["groups_per_sm"] * ((c["local"] + c["warp"] - 1) // c["warp"]), max(1, c["warps"] / gpu["sms"]))
    latency = gpu["latency"]
    waiting = (c["stalls_l1"] * latency["l1"] + c["stalls_l2"] * latency["l2"] + c["stalls_dram"] * latency["dram"] +
               c["warp_instructions"] * gpu["alu_latency"])
    seconds = {
        "dram": dram / gpu["copy"],
        "l2": 32 * (c["l2_reads"] + c["l2_writes"]) / gpu["l2"],
        "lsu": (c["load"]["wavefronts"] + c["store"]["wavefronts"] + c["shared_wavefronts"] + c["private_requests"]) /
               (gpu["sms"] * gpu["wavefronts"] * gpu["hertz"]),
        "issue": c["issue_slots"] / (gpu["sms"] * gpu["issue"] * gpu["hertz"]),
        "latency": waiting / (gpu["sms"] * resident * gpu["hertz"]),
    }
    seconds = {name: gpu["weights"][name] * value for name, value in seconds.items()}
    best = useful / gpu["copy"]
    limit = max(seconds, key=seconds.get)
    total = sum(value ** 2 for value in seconds.values()) ** 0.5
    wasted = sorted(((s["sectors"] - s["ideal_sectors"], side, site)
                     for side in ("load", "store") for site, s in c[side + "_sites"].items()), reverse=True)
    figures = {
        "load_sector_efficiency": ratio(c["load"]["bytes"], 32 * c["load"]["sectors"]),
        "store_sector_efficiency": ratio(c["store"]["bytes"], 32 * c["store"]["sectors"]),
        "load_sectors_per_request": ratio(c["load"]["sectors"], c["load"]["requests"]),
        "load_sectors_ideal": ratio(c["load"]["ideal_sectors"], c["load"]["requests"]),
        "store_sectors_per_request": ratio(c["store"]["sectors"], c["store"]["requests"]),
        "store_sectors_ideal": ratio(c["store"]["ideal_sectors"], c["store"]["requests"]),
        "load_bytes_per_lane": ratio(c["load"]["bytes"], c["load"]["lanes"]),
        "store_bytes_per_lane": ratio(c["store"]["bytes"], c["store"]["lanes"]),
        "dram_efficiency": ratio(useful, dram),
        "partial_sector_writes": ratio(c["partial_writes"], c["dram_writes"]),
        "l1_hit_rate": ratio(c["l1_hits"], c["l1_hits"] + c["l1_misses"]),
        "l2_bytes_per_useful_byte": ratio(32 * (c["l2_reads"] + c["l2_writes"]), useful),
        "instructions_per_byte": ratio(c["lane_instructions"], written),
        "multiplications_per_byte": ratio(c["mul"], written),
        "divisions_by_multiplication_per_byte": ratio(c["mul_hi"], written),
        "divisions_per_byte": ratio(c["div"], written),
        "work_items": c["global"], "work_groups": c["groups"], "bytes_per_item": ratio(written, c["global"]),
        "items_per_sm_resident": int(resident * c["warp"]),
        "occupancy": ratio(c["groups_per_sm"] * c["local"], 2048),
        "registers": c["live_registers"], "private_bytes": c["private_bytes"],
        "waits_per_warp": ratio(c["stalls"], c["warps"]),
        "bytes_in_flight_per_item": ratio(c["stall_bytes"], c["stalls"] * c["warp"]),
        "simt_efficiency": c["simt"], "divergent_branches": ratio(c["divergent"], c["branches"]),
        "predicted_share_dram": min(1.0, best / seconds["dram"]),
        "predicted_share": best / total,
        "predicted_limit": limit,
        "predicted_seconds": seconds,
        "worst_sites": [f"{side} {site}" for lost, side, site in wasted[:3] if lost > 0],
    }
    return figures, c


COLUMNS = [("workload", 22, "{name}"), ("variant", 12, "{variant}"), ("MiB", 6, "{mib:.1f}"), ("ld eff", 6, "{load_sector_efficiency:.0%}"),
           ("st eff", 6, "{store_sector_efficiency:.0%}"), ("ld s/r", 9, "{load_sectors_per_request:.1f}/{load_sectors_ideal:.1f}"),
           ("st s/r", 9, "{store_sectors_per_request:.1f}/{store_sectors_ideal:.1f}"), ("DRAM", 5, "{dram_efficiency:.0%}"),
           ("L2/B", 5, "{l2_bytes_per_useful_byte:.1f}"), ("ins/B", 6, "{instructions_per_byte:.1f}"),
           ("mul/B", 5, "{multiplications_per_byte:.2f}"), ("B/item", 7, "{bytes_per_item:.0f}"), ("items", 8, "{work_items}"),
           ("occ", 4, "{occupancy:.0%}"), ("fly", 4, "{bytes_in_flight_per_item:.0f}"), ("simt", 5, "{simt_efficiency:.0%}"),
           ("H100 dram", 9, "{predicted_share_dram:.0%}"), ("H100 all", 8, "{predicted_share:.0%}"), ("limit", 7, "{predicted_limit}")]


def line_of(values):
    texts = [str(form.format(**values)) if isinstance(values, dict) else head for head, _, form in COLUMNS]
    return "  ".join(text.ljust(width) if i < 2 else text.rjust(width) for i, (text, (_, width, _)) in enumerate(zip(texts, COLUMNS)))


def beyond(row, bounds, warp):
    """What is worse than its bound: sentences. A bound is for a workload of this list, and there is one for each."""
    if row["name"] not in bounds:
        return [f"{row['name']}: there are no bounds for it"]
    figures = row.get(f"warp{warp}", {}).get("figures")
    if not figures:
        return [f"{row['name']}: there are no figures"]
    bound = bounds[row["name"]]
    worse = [f"{row['name']}: {key} is {figures[key]:.3g}, at most {most:.3g} was reached before"
             for key, most in bound["most"].items() if figures[key] > most]
    return worse + [f"{row['name']}: {key} is {figures[key]:.3g}, at least {least:.3g} was reached before"
                    for key, least in bound["least"].items() if figures[key] < least]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--built", required=True, help="folder of libgpusim.so and what runs a workload on it")
    parser.add_argument("--json", help="file for all figures")
    parser.add_argument("--bounds", help="file of bounds, which this fails beyond: see README.md")
    parser.add_argument("--mib", type=float, default=16, help="largest destination; larger ones lose outer dimensions. 0: as they are")
    parser.add_argument("--warps", default="32,64,16")
    parser.add_argument("--only", help="workloads whose names have this in them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("workloads", nargs="+")
    options = parser.parse_args()
    cases = [case for path in options.workloads for case in json.load(open(path))]
    cases = [scale_down(case, int(options.mib * 2**20)) for case in cases if not options.only or options.only in case["name"]]
    warps = [int(w) for w in options.warps.split(",")]
    # What compilers know of vloadN's address: NVIDIA's an element, as the specification says; AMD's and Intel's hardware needs no more.
    work = [(case, warp, 0 if warp == 32 else 16) for case in cases for warp in warps]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda w: run(options.built, *w), work))
    print(line_of(None))
    report, failed = [], 0
    for i, case in enumerate(cases):
        row = dict(case)
        for k, warp in enumerate(warps):
            result = results[i * len(warps) + k]
            if "error" in result or not result["verified"]:
                failed += 1
                print(f"{case['name']}: warp {warp}: " + (result.get("error") or "WRONG BYTES"))
                row[f"warp{warp}"] = result
                continue
            figures, counts = judge(result, H100)
            row.update({key: result[key] for key in ("variant", "unit_bits", "index_bits", "src_bytes", "dst_bytes")})
            row[f"warp{warp}"] = {"figures": figures, "counts": counts}
            if k == 0:
                print(line_of(dict(figures, name=case["name"], variant=result["variant"], mib=result["dst_bytes"] / 2**20)))
        report.append(row)
    others = [warp for warp in warps[1:] if any("figures" in row.get(f"warp{warp}", {}) for row in report)]
    if others:
        print("\nsub-groups of other sizes, whose hardware moves 16 bytes of an item from any address: asked for of what the sectors hold\n"
              + "workload".ljust(24) + "".join(f"{f'{warp}: ld eff':>12}{'st eff':>8}{'L2/B':>7}{'ins/B':>7}" for warp in others))
        for row in report:
            line = row["name"].ljust(24)
            for warp in others:
                f = row.get(f"warp{warp}", {}).get("figures")
                line += (f"{f['load_sector_efficiency']:>12.0%}{f['store_sector_efficiency']:>8.0%}{f['l2_bytes_per_useful_byte']:>7.1f}"
                         f"{f['instructions_per_byte']:>7.1f}" if f else " " * 34)
            print(line)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(report, file, indent=1)
    done = [row[f"warp{warps[0]}"]["figures"] for row in report if "figures" in row.get(f"warp{warps[0]}", {})]
    if done:
        geomean = product(max(f["predicted_share"], 1e-9) for f in done) ** (1 / len(done))
        print(f"{len(done)} workloads, geometric mean of the predicted share: {geomean:.0%}"
              + (f"; {options.json} has the rest" if options.json else ""))
    worse = []
    if options.bounds:
        bounds = json.load(open(options.bounds))
        worse = [sentence for row in report for sentence in beyond(row, bounds, warps[0])]
        worse += [f"{name}: did not run" for name in bounds if name not in [row["name"] for row in report]]
        print("\n".join(worse) or f"{len(bounds)} workloads, each within its bounds")
    return 1 if failed or worse else 0


if __name__ == "__main__":
    raise SystemExit(main())
