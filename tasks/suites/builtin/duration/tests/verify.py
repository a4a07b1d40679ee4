"""Runs the given test in its first form, then durations and near-durations drawn now."""
import json
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()
tests = os.environ.get("FORGE_TESTS", "/tests")
units = {"s": 1, "m": 60, "h": 3600, "d": 86400}
probe = """
import json, sys
from duration import seconds
def attempt(text):
    try:
        return seconds(text)
    except ValueError:
        return "refused"
print(json.dumps([attempt(text) for text in json.load(sys.stdin)]))
"""


def parts():
    return [(random.randint(0, 120), random.choice("smhd")) for _ in range(random.randint(1, 5))]


cases = {}
for _ in range(40):
    drawn = parts()
    text = "".join(random.choice(["", " ", "  "]) + f"{n}{u}" for n, u in drawn) + random.choice(["", " "])
    cases[text] = sum(n * units[u] for n, u in drawn)
for _ in range(10):
    good = "".join(f"{n}{u}" for n, u in parts())
    number = random.randint(1, 99)
    for bad in (f"{good}{number}", f"{number}w{good}", f"{good}x", f"{good} m", f"m{good}", f"{good},{good}", f"-{good}", f"{number} s", " "):
        cases[bad] = "refused"
with tempfile.TemporaryDirectory() as folder:
    shutil.copy(os.path.join(app, "duration.py"), folder)
    shutil.copy(os.path.join(tests, "given", "test_duration.py"), folder)
    given = apart.run(["python3", "test_duration.py"], cwd=folder, capture_output=True, text=True, timeout=20)
    if given.returncode != 0:
        sys.exit(f"the given test fails: {given.stderr[-500:]}")
    run = apart.run(["python3", "-c", probe], cwd=folder, input=json.dumps(list(cases)), capture_output=True, text=True, timeout=20)
for (text, expected), got in zip(cases.items(), json.loads(run.stdout), strict=True):
    if got != expected:
        sys.exit(f"seconds({text!r}): expected {expected}, got {got}")
