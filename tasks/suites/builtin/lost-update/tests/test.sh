#!/bin/bash
# The reward is 1 when verify.py finds nothing wrong, else 0.
logs="${FORGE_LOGS:-/logs}/verifier"
mkdir -p "$logs"
reward=0
python3 -I "${FORGE_TESTS:-/tests}/verify.py" && reward=1
echo "$reward" > "$logs/reward.txt"
