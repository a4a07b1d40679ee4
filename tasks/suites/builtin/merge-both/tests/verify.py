"""Looks at the merge, and greets guests drawn now with the committed code."""
import json
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()
probe = """
import json, sys
from greet import greeting
from farewell import farewell
print(json.dumps([[greeting(n), greeting(n, t), greeting(n, None), farewell(n)] for n, t in json.load(sys.stdin)]))
"""


def git(*args):
    safe = ["-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    run = apart.run(["git", "-C", copy, *safe, *args], capture_output=True, text=True, timeout=30, env=env)
    if run.returncode != 0:
        sys.exit(f"git {' '.join(args)}: {run.stderr}")
    return run.stdout.strip()


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: expected {wanted!r}, got {got!r}")


guests = [(" " * random.randint(0, 2) + "".join(random.choices("abXY", k=6)) + " " * random.randint(0, 2), random.choice(["Dr.", "Prof.", "de"])) for _ in range(20)]
with tempfile.TemporaryDirectory() as folder:
    copy = os.path.join(folder, "copy")
    shutil.copytree(app, copy, symlinks=True)
    expect("branch", git("rev-parse", "--abbrev-ref", "HEAD"), "main")
    expect("not committed", git("status", "--porcelain", "-uall"), "")
    subjects = set(git("log", "--format=%s").split("\n"))
    wanted = {"Greet a guest", "Know titles, say goodbye", "Tidy the name, add the exclamation mark"}
    expect("commits that are missing", wanted - subjects, set())
    if not git("rev-list", "--merges", "HEAD"):
        sys.exit("there is no merge commit")
    git("checkout", "-q", "--force", "HEAD")
    run = apart.run(["python3", "-c", probe], cwd=copy, input=json.dumps(guests), capture_output=True, text=True, timeout=20)
if run.returncode != 0:
    sys.exit(run.stderr[-500:])
for (name, title), got in zip(guests, json.loads(run.stdout), strict=True):
    tidy = name.strip().capitalize()
    expect(f"{name!r}, {title!r}", got, [f"Hello {tidy}!", f"Hello {title} {tidy}!", f"Hello {tidy}!", f"Goodbye {name}"])
