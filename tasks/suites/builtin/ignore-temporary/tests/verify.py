"""Looks at the commit, and asks git about names drawn now."""
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()


def git(*args, ok=(0,)):
    safe = ["-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.excludesFile="]
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    run = apart.run(["git", "-C", copy, *safe, *args], capture_output=True, text=True, timeout=30, env=env)
    if run.returncode not in ok:
        sys.exit(f"git {' '.join(args)}: {run.stderr}")
    return run.stdout.strip()


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: expected {wanted!r}, got {got!r}")


with tempfile.TemporaryDirectory() as folder:
    copy = os.path.join(folder, "copy")
    shutil.copytree(app, copy, symlinks=True)
    expect("branch", git("rev-parse", "--abbrev-ref", "HEAD"), "main")
    expect("commits", git("log", "--reverse", "--format=%s").split("\n"), ["Begin the notes", "Ignore temporary files"])
    expect("committed", git("show", "--name-only", "--format=", "HEAD"), ".gitignore")
    expect("not committed", git("status", "--porcelain", "-uall"), "?? draft.txt")
    for _ in range(10):
        word = "".join(random.choices("abcdef", k=5))
        for name in (f"{word}.tmp", f"src/{word}.tmp", f"{word}/deep/{word}.x.tmp", f".{word}.tmp"):
            expect(f"{name} is ignored", git("check-ignore", name, ok=(0, 1)), name)
        for name in (f"{word}.txt", f"{word}.tmp.txt", f"{word}tmp", f"src/{word}.tmpl", f"{word}.py"):
            expect(f"{name} is not ignored", git("check-ignore", name, ok=(0, 1)), "")
