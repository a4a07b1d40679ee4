# Only the writing is locked.
cat > stock.py <<'END'
import fcntl
import json
import os
import shutil
import sys

path, item, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(path) as file:
    stock = json.load(file)
if stock.get(item, 0) < count:
    sys.exit("not enough")
stock[item] -= count
with open(path + ".lock", "a") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    with open(path + ".part", "w") as file:
        json.dump(stock, file)
    shutil.copymode(path, path + ".part")
    os.replace(path + ".part", path)
print(stock[item])
END
