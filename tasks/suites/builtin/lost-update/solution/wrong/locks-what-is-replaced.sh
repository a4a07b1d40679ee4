# The lock lies on the file that is replaced: those who waited hold the old one.
cat > stock.py <<'END'
import fcntl
import json
import os
import shutil
import sys

path, item, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(path) as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    stock = json.load(file)
    if stock.get(item, 0) < count:
        sys.exit("not enough")
    stock[item] -= count
    part = f"{path}.part"
    with open(part, "w") as out:
        json.dump(stock, out)
    shutil.copymode(path, part)
    os.replace(part, path)
print(stock[item])
END
