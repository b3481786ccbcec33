#!/usr/bin/env bash
# Runs a program under the test layer, and fails unless it succeeds, creates OpenCL objects, and releases them all.
#
# usage: account.sh LAYER PROGRAM [ARGUMENT...]
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
layer=$1
shift
said=$(OPENCL_LAYERS=$layer CLMOVE_TEST_ACCOUNT=1 "$@" 2>&1) || {
    printf '%s\n' "$said"
    exit 1
}
printf '%s\n' "$said"
grep -qE '^objects: [1-9][0-9]* created, 0 left$' <<<"$said"
