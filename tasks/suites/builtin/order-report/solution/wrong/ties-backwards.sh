# Turns the whole order round, names too.
cat > report.py <<'END'
import json
import sys

sums = {}
for order in json.load(open(sys.argv[1])):
    if order["status"] != "cancelled":
        sums[order["customer"]] = sums.get(order["customer"], 0) + order["cents"]
for cents, name in sorted(((c, n) for n, c in sums.items()), reverse=True):
    print(f"{name} {cents / 100:.2f}")
END
