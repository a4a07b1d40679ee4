#!/bin/sh
# The reward is 1 when every check holds, else 0.
logs="${FORGE_LOGS:-/logs}/verifier"
mkdir -p "$logs"
reward=0
sh "${FORGE_TESTS:-/tests}/verify.sh" && reward=1
echo "$reward" > "$logs/reward.txt"
