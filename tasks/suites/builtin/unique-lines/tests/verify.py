"""Runs unique.sh on files of words drawn now."""
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()
words = ["".join(random.choices("abcdefgh", k=random.randint(1, 4))) for _ in range(60)]
for size in (1, 7, 200):
    lines = random.choices(words, k=size)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("".join(line + "\n" for line in lines))
        file.flush()
        run = apart.run(["bash", "unique.sh", file.name], cwd=app, capture_output=True, text=True, timeout=10)
    expected = sorted(set(lines))
    if run.stdout.split("\n")[:-1] != expected:
        sys.exit(f"{size} lines: expected {len(expected)} lines {expected[:5]}..., got {run.stdout[:200]!r} {run.stderr[:200]!r}")
