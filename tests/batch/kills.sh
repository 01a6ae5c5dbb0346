#!/usr/bin/env bash
# kills.sh BUILD [COUNT]: kills a batch and the ranks of one at COUNT random moments (200), resumes it each time, and
# compares its table with that of a batch that nobody killed. The tests do the same with 20.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 BUILD [COUNT]" >&2; exit 2; }
TORSOR_TEST_KILLS=${2:-200} exec "$1/tests/batch/test_batch" -tc='killed at*,after the death of any rank*'
