"""Runs errors.sh on logs drawn now: with parts missing, levels in messages, and files that are not part of the log."""
import os
import sys
import collections
import gzip
import random
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()


def lines(count, days, errors):
    for _ in range(count):
        day = random.choice(days)
        level = random.choice(["INFO", "WARN", "ERROR"] if errors else ["INFO", "WARN"])
        message = random.choice(["ERROR rate rises", "started", "after an ERROR ended", "INFO was asked for"])
        yield f"{day}T{random.randint(0, 23):02d}:{random.randint(0, 59):02d}:00 {level} {message}"
        if random.random() < 0.3:
            yield random.choice(["  ERROR in line 4", "ERROR: caused by", f"seen {day}T00:00:00 ERROR too", ""])


def is_error(line):
    words = line.split(" ")
    return len(words) > 1 and len(words[0]) == 19 and words[0][:2] == "20" and words[1] == "ERROR"


parts = ["app.log", "app.log.1", "app.log.2.gz", "app.log.3.gz", "app.log.10.gz"]
for present in [parts, ["app.log"], random.sample(parts, 3), ["app.log.2.gz"], []]:
    days = [f"20{random.randint(10, 30)}-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}" for _ in range(5)]
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as outer:
        folder = os.path.join(outer, random.choice(["logs", "my logs", "-logs"]))
        os.mkdir(folder)
        for name in present:
            text = list(lines(random.randint(5, 60), days, errors=len(present) != 1 or name == "app.log.2.gz"))
            counts.update(line[:10] for line in text if is_error(line))
            with (gzip.open if name.endswith(".gz") else open)(os.path.join(folder, name), "wt") as file:
                file.write("\n".join(text) + "\n")
        for name in ["other.log", "app.log.bak", "app.log.gz.old", "backup-app.log", "myapp.log.1"]:
            with open(os.path.join(folder, name), "w") as file:
                file.write(f"{days[0]}T01:01:01 ERROR not part of the log\n")
        run = apart.run(["bash", os.path.join(app, "errors.sh"), os.path.join(outer, folder)], cwd=app, capture_output=True, text=True, timeout=20)
    expected = "".join(f"{day} {count}\n" for day, count in sorted(counts.items()))
    if run.stdout != expected or run.returncode != 0:
        sys.exit(f"{present}: expected {expected!r}, got {run.stdout[:400]!r}, exit code {run.returncode} {run.stderr[-300:]!r}")
