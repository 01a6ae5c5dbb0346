#!/usr/bin/env bash
# kills.sh BUILD [COUNT]: kills a batch, and a batch on ranks, at COUNT random moments (default 200), resumes it each
# time, and compares its table with the table of an uninterrupted batch. The tests do the same with COUNT = 20.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 BUILD [COUNT]" >&2; exit 2; }
TORSOR_TEST_KILLS=${2:-200} exec "$1/tests/batch/test_batch" -tc='killed at*,after the death of any rank*'
