"""Runs the given test in its first form, then the function on lists drawn now."""
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
probe = "import json, sys; from pages import pages; print(json.dumps([pages(*case) for case in json.load(sys.stdin)]))"
cases = [[random.sample(range(1000), random.randint(0, 30)), random.randint(1, 9)] for _ in range(40)]
with tempfile.TemporaryDirectory() as folder:
    shutil.copy(os.path.join(app, "pages.py"), folder)
    shutil.copy(os.path.join(tests, "given", "test_pages.py"), folder)
    given = apart.run(["python3", "test_pages.py"], cwd=folder, capture_output=True, text=True, timeout=20)
    if given.returncode != 0:
        sys.exit(f"the given test fails: {given.stderr[-500:]}")
    run = apart.run(["python3", "-c", probe], cwd=folder, input=json.dumps(cases), capture_output=True, text=True, timeout=20)
for (items, size), got in zip(cases, json.loads(run.stdout), strict=True):
    if got != [items[i : i + size] for i in range(0, len(items), size)]:
        sys.exit(f"pages({items}, {size}) gave {got}")
