# No update is lost, but a reader finds half a file.
cat > stock.py <<'END'
import fcntl
import json
import sys

path, item, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(path, "r+") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    stock = json.load(file)
    if stock.get(item, 0) < count:
        sys.exit("not enough")
    stock[item] -= count
    file.seek(0)
    file.truncate()
    json.dump(stock, file)
print(stock[item])
END
