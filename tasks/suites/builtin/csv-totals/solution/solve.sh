cat > totals.py <<'END'
"""Prints the sum of the amounts of each category in a CSV file."""
import csv
import sys
from decimal import Decimal

csv.field_size_limit(sys.maxsize)
totals = {}
with open(sys.argv[1], newline="", encoding="utf-8-sig") as file:
    for row in csv.DictReader(file):
        category = row["category"].strip(" ")
        cents = int(Decimal(row["amount"].strip() or "0") * 100)
        totals[category] = totals.get(category, 0) + cents
sys.stdout.reconfigure(encoding="utf-8")
for category in sorted(totals):
    cents = totals[category]
    sign = "-" if cents < 0 else ""
    print(f"{category}\t{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}")
END
