cat > stock.py <<'END'
"""Takes pieces out of the stock: python3 stock.py FILE ITEM COUNT"""
import fcntl
import json
import os
import shutil
import sys

path, item, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
# The lock lies on a file of its own, because the stock's is replaced; the kernel ends it with its process.
with open(path + ".lock", "a") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    with open(path) as file:
        stock = json.load(file)
    if stock.get(item, 0) < count:
        sys.exit("not enough")
    stock[item] -= count
    part = path + ".part"
    with open(part, "w") as file:
        json.dump(stock, file)
    shutil.copymode(path, part)
    os.replace(part, path)
print(stock[item])
END
