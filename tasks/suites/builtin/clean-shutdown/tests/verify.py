"""Starts workers, lets them tick for a time drawn now, and ends them."""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()


def read(*path):
    try:
        with open(os.path.join(*path)) as file:
            return file.read()
    except FileNotFoundError:
        return None


def start(folder):
    return apart.start(["bash", "worker.sh", folder], cwd=app, stdout=subprocess.PIPE, text=True, start_new_session=True)


def wait_for(what, worker, test):
    for _ in range(500):
        if test():
            return
        if worker.poll() is not None:
            sys.exit(f"ended with code {worker.returncode} before there was {what}")
        time.sleep(0.02)
    sys.exit(f"waited in vain for {what}")


def life(folder):
    worker = start(folder)
    try:
        wait_for("worker.pid", worker, lambda: (read(folder, "worker.pid") or "").strip() == str(worker.pid))
        wait_for("ticks", worker, lambda: (read(folder, "ticks.log") or "").count("tick\n") >= 2)
        second = apart.run(["bash", "worker.sh", folder], cwd=app, capture_output=True, text=True, timeout=5)
        if second.returncode != 1 or second.stdout.strip() != "already running":
            sys.exit(f"a second worker: exit code {second.returncode}, {second.stdout!r}")
        if read(folder, "worker.pid").strip() != str(worker.pid):
            sys.exit("a second worker changed worker.pid")
        time.sleep(random.uniform(0.1, 0.5))
        worker.send_signal(signal.SIGTERM)
        try:
            code = worker.wait(timeout=3)
        except subprocess.TimeoutExpired:
            sys.exit("still runs 3 seconds after SIGTERM")
        if code != 0:
            sys.exit(f"exit code {code} after SIGTERM")
        if read(folder, "worker.pid") is not None:
            sys.exit("worker.pid is still there")
        time.sleep(0.15)
        ticks = read(folder, "ticks.log")
        if ticks.replace("tick\n", "") != "" or (read(folder, "total") or "").strip() != str(ticks.count("\n")):
            sys.exit(f"total is {read(folder, 'total')!r} with {ticks.count(chr(10))} ticks")
        time.sleep(0.25)
        if read(folder, "ticks.log") != ticks:
            sys.exit("something still ticks")
    finally:
        try:
            os.killpg(worker.pid, signal.SIGKILL)
            left = True
        except ProcessLookupError:
            left = False
    if left:
        sys.exit("a process of the worker is left")
    return ticks.count("\n")


with tempfile.TemporaryDirectory() as folder:
    ended = subprocess.Popen(["true"])
    ended.wait()
    with open(os.path.join(folder, "worker.pid"), "w") as file:
        file.write(f"{ended.pid}\n")
    first = life(folder)
    if life(folder) <= first:
        sys.exit("the second worker did not append to ticks.log")
