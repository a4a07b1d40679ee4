# A killed call leaves its lock behind, and all later ones wait for ever.
cat > stock.py <<'END'
import json
import os
import shutil
import sys
import time

path, item, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
while True:
    try:
        os.close(os.open(path + ".lock", os.O_CREAT | os.O_EXCL))
        break
    except FileExistsError:
        time.sleep(0.01)
try:
    with open(path) as file:
        stock = json.load(file)
    if stock.get(item, 0) < count:
        sys.exit("not enough")
    stock[item] -= count
    with open(path + ".part", "w") as file:
        json.dump(stock, file)
    shutil.copymode(path, path + ".part")
    os.replace(path + ".part", path)
finally:
    os.unlink(path + ".lock")
print(stock[item])
END
