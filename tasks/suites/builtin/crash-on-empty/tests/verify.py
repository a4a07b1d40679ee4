"""Runs stats.py on files drawn now, with and without numbers and empty lines."""
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()
for count in (0, 0, 1, 5, 30, 30):
    numbers = [random.randint(-900, 900) for _ in range(count)]
    lines = [str(number) for number in numbers]
    for blank in ("", "  ", *[""] * random.randint(0, 3)):
        lines.insert(random.randint(0, len(lines)), blank)
    text = "\n".join(lines) + random.choice(["", "\n"])
    expected = f"mean {sum(numbers) / count:.1f}\nmax {max(numbers)}\n" if numbers else "no numbers\n"
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        run = apart.run(["python3", "stats.py", file.name], cwd=app, capture_output=True, text=True, timeout=10)
    if run.stdout != expected or run.returncode != 0:
        sys.exit(f"on {text!r}: expected {expected!r}, got {run.stdout!r}, exit code {run.returncode} {run.stderr[-200:]!r}")
