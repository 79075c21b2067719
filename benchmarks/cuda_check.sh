#!/usr/bin/env bash
# Run the tests that need a CUDA card, then time the card beside the CPU, and write one JSON.
#
#     bash benchmarks/cuda_check.sh [OUT.json]
#
# Needs a card, numba-cuda, torch, scipy, scikit-learn, hypothesis and pytest; no network, no installation.
# It ends in under five minutes. Without OUT the JSON goes to benchmarks/results/, under the card's name.
set -euo pipefail
cd "$(dirname "$0")/.."
export PYTHONPATH="$PWD/src${PYTHONPATH:+:$PYTHONPATH}"
report=$(mktemp --suffix=.xml)
trap 'rm -f "$report"' EXIT
timeout 150 pytest -q -m gpu tests --junitxml="$report" || echo "cuda_check: the tests failed; the timings follow" >&2
timeout 140 python benchmarks/cuda_timings.py "$report" ${1:+"$1"}
