"""Runs largest.sh on folders made now."""
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()
for _ in range(4):
    names = random.sample(["alpha.txt", "beta", "gamma.log", "delta.tar.gz", "eps.py", "zeta.c", "eta"], random.randint(2, 7))
    # The largest is larger than a folder's own entry on any file system.
    sizes = [random.randint(100_000, 120_000), *random.sample(range(1, 90_000), 6)]
    with tempfile.TemporaryDirectory() as folder:
        files = list(zip(names, sizes))
        random.shuffle(files)
        for name, size in files:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(b"x" * size)
        os.mkdir(os.path.join(folder, "below"))
        with open(os.path.join(folder, "below", "huge.bin"), "wb") as file:
            file.write(b"x" * 300_000)
        run = apart.run(["bash", "largest.sh", folder], cwd=app, capture_output=True, text=True, timeout=10)
    if run.stdout.strip() != names[0]:
        sys.exit(f"of {sorted(files)}: expected {names[0]}, got {run.stdout[:200]!r} {run.stderr[:200]!r}")
