"""Runs total.py on tables drawn now, with the column in every place."""
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()
for place in (0, 1, 2, 3):
    numbers = [random.randint(-500, 5000) for _ in range(random.randint(1, 40))]
    rows = [["city", "code", "note"]] + [[random.choice(["Oslo", "Rome", "Lima"]), str(random.randint(1, 99)), "x"] for _ in numbers]
    for row, cell in zip(rows, ["amount", *map(str, numbers)]):
        row.insert(place, cell)
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("".join(",".join(row) + "\n" for row in rows))
        file.flush()
        run = apart.run(["python3", "total.py", file.name], cwd=app, capture_output=True, text=True, timeout=10)
    if run.stdout.strip() != str(sum(numbers)):
        sys.exit(f"column {place}: expected {sum(numbers)}, got {run.stdout[:200]!r} {run.stderr[-300:]!r}")
