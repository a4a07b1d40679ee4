"""Compares pairs with the slow version on rows drawn now, then the processor time of both."""
import os
import sys
import ctypes
import json
import math
import random
import resource
import shutil
import signal
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()

# What the task begins with.
slow_version = """
def plain(key):
    return " ".join(key.split()).casefold()


def join(left, right):
    pairs = []
    for a in left:
        for b in right:
            if plain(a[0]) != "" and plain(a[0]) == plain(b[0]):
                pairs.append((a, b))
    return pairs
"""
# Answers the pairs by the rows' own places, so that copies and changed rows are seen.
probe = """
import json, sys
from join import join
rows = json.load(sys.stdin)
left, right = rows
before = json.dumps(rows)
places = [{id(row): place for place, row in enumerate(side)} for side in rows]
pairs = [[places[0][id(a)], places[1][id(b)]] for a, b in join(left, right)]
assert json.dumps(rows) == before, "the arguments were changed"
print(json.dumps(pairs))
"""


def side(count, keys):
    return [[random.choice(keys), random.choice([number, {"n": number}, [number]])] for number in range(count)]


def written(word):
    word = random.choice([word, word.upper(), word.title()])
    return random.choice([word, f" {word}", f"{word}  ", word.replace(" ", "  "), word.replace(" ", "\t")])


def distinct(count):
    return [[f"{random.choice('abc')} {number}"] for number in random.sample(range(10**6), count)]


try:
    # PR_SET_CHILD_SUBREAPER of Linux: what a tested program leaves behind becomes a child of this process.
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
except (OSError, AttributeError):
    pass


def end_rest():
    """Ends processes that were left behind, so that their processor time is counted too; answers how many."""
    ended = 0
    for name in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else []):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
            if parent == os.getpid():
                os.kill(int(name), signal.SIGKILL)
                os.waitpid(int(name), 0)
                ended += 1
        except OSError:
            pass  # ended by itself
    return ended


def cost(folder, left, right, most=60):
    """Answers the pairs and the seconds of processor time; None for the pairs where it would take more than `most`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = apart.run(
        ["sh", "-c", f'ulimit -t {most}; exec python3 -c "$0"', probe],
        cwd=folder,
        input=json.dumps([left, right]),
        capture_output=True,
        text=True,
        timeout=100,
    )
    while end_rest():
        pass
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if run.returncode != 0 and seconds < most - 1:
        sys.exit(run.stderr[-500:] or f"ends with {run.returncode}")
    return json.loads(run.stdout) if run.returncode == 0 else None, seconds


with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as slow:
    shutil.copy(os.path.join(app, "join.py"), folder)
    with open(os.path.join(slow, "join.py"), "w") as file:
        file.write(slow_version)
    for count in (0, 1, 40, 120):
        words = ["rake", "garden hose", "Straße", "straße und haus", "", " ", "oak"]
        keys = [written(random.choice(words)) for _ in range(40)]
        left, right = side(count, keys), side(count, keys)
        expected, _ = cost(slow, left, right)
        found, _ = cost(folder, left, right)
        if found != expected:
            sys.exit(f"{count} rows: other pairs than before, {len(found)} instead of {len(expected)}")
    for turn in range(3):
        # Both in each turn: what else the machine does slows both.
        small = distinct(1500)
        _, allowed = cost(slow, small, random.sample(small, len(small)))
        large = distinct(10_000)
        found, seconds = cost(folder, large, random.sample(large, len(large)), most=math.ceil(allowed) + 1)
        if found is not None and len(found) != 10_000:
            sys.exit(f"10,000 rows: {len(found)} pairs instead of 10000")
        if seconds < allowed:
            break
    else:
        sys.exit(f"10,000 rows take {seconds:.2f} s of processor time, the slow version takes {allowed:.2f} s for 1,500")
