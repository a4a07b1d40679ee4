"""Takes pieces in many processes at once, reads the file all the while, and kills calls at moments drawn now."""
import os
import sys
import json
import random
import signal
import subprocess
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()

program = os.path.join(app, "stock.py")
torn = []


def take(path, item, count):
    return apart.start(["python3", program, path, item, str(count)], cwd=app, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def watch(path, stop):
    while not stop.is_set():
        try:
            with open(path) as file:
                json.load(file)
        except (OSError, ValueError) as error:
            torn.append(repr(error))
            return


def crowd(path, item, have, calls):
    """All at once: exactly as many succeed as there are pieces, and each prints another rest."""
    running = [take(path, item, 1) for _ in range(calls)]
    rests, refused = [], 0
    for one in running:
        try:
            out, err = one.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            sys.exit("a call does not end")
        if one.returncode == 0:
            rests.append(int(out))
        elif one.returncode == 1 and err.strip() == "not enough" and out == "":
            refused += 1
        else:
            sys.exit(f"exit code {one.returncode}: {out!r} {err[-300:]!r}")
    if sorted(rests) != list(range(have)):
        sys.exit(f"{calls} calls at once on {have} pieces: {len(rests)} succeeded and left {sorted(rests)}, {refused} found not enough")


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "the stock.json")
    # Large, so that reading and writing take a while.
    stock = {f"item {number}": random.randint(1, 99) for number in range(6_000)}
    have = random.randint(9, 12)
    stock.update({"bolt": have, "nut": have, "washer": 1000})
    with open(path, "w") as file:
        json.dump(stock, file)
    with open(os.path.join(folder, "notes.txt"), "w") as file:
        file.write("mine\n")
    os.chmod(path, 0o640)
    stop = threading.Event()
    reader = threading.Thread(target=watch, args=(path, stop))
    reader.start()
    try:
        crowd(path, "bolt", have, have + 3)
        crowd(path, "nut", have, have + 3)
        for _ in range(6):
            one = take(path, "washer", 1)
            time.sleep(random.uniform(0, 0.12))
            one.send_signal(signal.SIGKILL)
            one.communicate()
        # The moments above depend on the machine; these do not: the call is stopped within its work, then killed.
        for _ in range(5):
            before = os.stat(path)
            names = set(os.listdir(folder))
            one = take(path, "washer", 1)
            began = time.monotonic()
            while one.poll() is None and set(os.listdir(folder)) == names and os.stat(path).st_mtime_ns == before.st_mtime_ns:
                if time.monotonic() - began > 20:
                    break
            one.send_signal(signal.SIGKILL)
            one.communicate()
            for name in set(os.listdir(folder)) - names:
                names.add(name)
        last = take(path, "washer", 1)
        try:
            out, err = last.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            last.kill()
            sys.exit("after killed calls, a call waits for ever")
        if last.returncode != 0:
            sys.exit(f"after killed calls: exit code {last.returncode} {err[-300:]!r}")
    finally:
        stop.set()
        reader.join()
    if torn:
        sys.exit(f"a reader found {torn[0]}")
    with open(path) as file:
        after = json.load(file)
    washers = after.pop("washer")
    if not 1000 - 12 <= washers <= 999 or washers != int(out):
        sys.exit(f"{washers} washers are left of 1000")
    stock.update({"bolt": 0, "nut": 0})
    stock.pop("washer")
    if after != stock:
        sys.exit("the stock of something that nobody took has changed")
    if os.stat(path).st_mode & 0o777 != 0o640:
        sys.exit(f"the permission bits are {os.stat(path).st_mode & 0o777:o} instead of 640")
    more = sorted(set(os.listdir(folder)) - {"the stock.json", "notes.txt"})
    if len(more) > 2:
        sys.exit(f"left behind: {more}")
    with open(os.path.join(folder, "notes.txt")) as file:
        if file.read() != "mine\n":
            sys.exit("notes.txt has changed")

# With the name of a file in the current folder, as in the instruction.
with open(os.path.join(app, "here.json"), "w") as file:
    file.write('{"rake": 5}')
run = apart.run(["python3", "stock.py", "here.json", "rake", "2"], cwd=app, capture_output=True, text=True, timeout=20)
if run.returncode != 0 or run.stdout != "3\n":
    sys.exit(f"in the current folder: {run.stdout!r} {run.stderr[-300:]!r}")
