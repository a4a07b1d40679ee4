cat > report.py <<'END'
import json
import sys
from collections import defaultdict

with open(sys.argv[1]) as file:
    orders = json.load(file)
sums = defaultdict(int)
for order in orders:
    if order["status"] != "cancelled":
        sums[order["customer"]] += order["cents"]
for name, cents in sorted(sums.items(), key=lambda item: (-item[1], item[0])):
    print(f"{name} {cents / 100:.2f}")
END
