#!/usr/bin/env bash
# kills.sh BUILD [COUNT]: kills a batch at COUNT random moments (default 200), and one rank of a batch on
# ranks COUNT / 10 times. It resumes each batch, and compares its table with the table of an uninterrupted
# batch. The tests do the same with COUNT = 20, and kill a rank 3 times.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 BUILD [COUNT]" >&2; exit 2; }
TORSOR_TEST_KILLS=${2:-200} exec "$1/tests/batch/test_batch" -tc='killed at*,after the death of any rank*'
