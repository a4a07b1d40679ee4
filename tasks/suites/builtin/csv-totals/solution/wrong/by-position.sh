# Exact sums, but the columns are taken by their place.
cat > totals.py <<'END'
import csv
import sys
from decimal import Decimal

totals = {}
with open(sys.argv[1], newline="", encoding="utf-8-sig") as file:
    rows = csv.reader(file)
    next(rows)
    for row in rows:
        if not row:
            continue
        category = row[1].strip()
        totals[category] = totals.get(category, Decimal(0)) + Decimal(row[3].strip() or "0")
for category in sorted(totals):
    print(f"{category}\t{totals[category]:.2f}")
END
