"""Compares the new commit with what the lost one was, and tries the module on times drawn now."""
import os
import sys
import json
import random
import shutil
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()

main_was = "937306b33ce0f7c41016a98babdddf803797b901"
# What the lost one says. It need not be in the repository any more: who has brought it back may tidy up.
lost = {
    "author": "Noa <noa@example.com> 1717318800",
    "message": "Read times back, refuse negative ones\n\nSpaces around a time are let through, as the form sends them.",
}
probe = """
import json, sys
import times
seen = []
for seconds in json.load(sys.stdin):
    try:
        seen.append(times.show(seconds))
    except ValueError:
        seen.append("refused")
reads = [times.read(text) for text in ["0:00", "4:05", " 12:34 ", "59:59\\n"]]
print(json.dumps([seen, reads]))
"""


def git(*args):
    safe = ["-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_NO_REPLACE_OBJECTS": "1"}
    run = apart.run(["git", "-C", copy, *safe, *args], capture_output=True, text=True, timeout=30, env=env)
    if run.returncode != 0:
        sys.exit(f"git {args[0]} fails: {run.stderr[-300:]}")
    return run.stdout


def said(commit):
    """Author and message as they are kept, whatever a configuration makes of them."""
    head, _, message = git("cat-file", "commit", commit).partition("\n\n")
    [author] = [line.removeprefix("author ") for line in head.split("\n") if line.startswith("author ")]
    return {"author": author.rpartition(" ")[0], "message": message.strip()}


def shown(seconds):
    if seconds < 0:
        return "refused"
    if seconds >= 3600:
        return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{seconds // 60}:{seconds % 60:02d}"


with tempfile.TemporaryDirectory() as outer:
    copy = os.path.join(outer, "copy")
    shutil.copytree(app, copy, symlinks=True)
    if git("rev-parse", "--abbrev-ref", "HEAD").strip() != "main":
        sys.exit("main is not checked out")
    parents = git("rev-list", "--parents", "-n", "1", "main").split()[1:]
    if parents != [main_was]:
        sys.exit(f"the parents of main are {parents}, not {main_was}: one commit on top of what main was is asked for")
    for what, new in said("main").items():
        if new != lost[what]:
            sys.exit(f"the {what} is {new!r} instead of {lost[what]!r}")
    # By the files themselves: what git calls untracked or changed is a matter of the repository's configuration.
    for parent, folders, names in os.walk(copy):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            place = os.path.join(parent, name)
            path = os.path.relpath(place, copy)
            if path not in ("README.txt", "times.py"):
                sys.exit(f"{path} is not committed")
            if os.path.islink(place) or open(place, encoding="utf-8", newline="").read() != git("show", f"main:{path}"):
                sys.exit(f"{path} is not what was committed")
    staged, committed = git("ls-files", "--stage"), git("ls-tree", "-r", "main")
    if [line.split()[1] for line in staged.splitlines()] != [line.split()[2] for line in committed.splitlines()]:
        sys.exit(f"staged and not committed: {staged!r}")
    if sorted(git("ls-tree", "-r", "--name-only", "main").split()) != ["README.txt", "times.py"]:
        sys.exit("the commit has other files than README.txt and times.py")
    if git("show", "main:README.txt") != git("show", f"{main_was}:README.txt"):
        sys.exit("README.txt has changed")
    source = git("show", "main:times.py")
with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "times.py"), "w") as file:
        file.write(source)
    cases = [random.randint(-99, 9999) for _ in range(60)] + [0, 59, 60, 3599, 3600, 3661, 36000, -1]
    run = apart.run(["python3", "-c", probe], cwd=folder, input=json.dumps(cases), capture_output=True, text=True, timeout=20)
if run.returncode != 0:
    sys.exit(run.stderr[-500:])
seen, reads = json.loads(run.stdout)
for seconds, text in zip(cases, seen, strict=True):
    if text != shown(seconds):
        sys.exit(f"show({seconds}) is {text!r} instead of {shown(seconds)!r}")
if reads != [0, 245, 754, 3599]:
    sys.exit(f"read answers {reads}")
