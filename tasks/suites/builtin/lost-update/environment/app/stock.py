"""Takes pieces out of the stock: python3 stock.py FILE ITEM COUNT"""
import json
import sys

path, item, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(path) as file:
    stock = json.load(file)
if stock.get(item, 0) < count:
    sys.exit("not enough")
stock[item] -= count
with open(path, "w") as file:
    json.dump(stock, file)
print(stock[item])
