# Everything but the byte order mark: the first column keeps it in its name.
cat > totals.py <<'END'
import csv
import sys
from decimal import Decimal

totals = {}
with open(sys.argv[1], newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        category = row["category"].strip()
        totals[category] = totals.get(category, Decimal(0)) + Decimal(row["amount"].strip() or "0")
for category in sorted(totals):
    print(f"{category}\t{totals[category]:.2f}")
END
