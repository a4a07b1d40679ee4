# Reads the file rightly and adds with floating point numbers.
cat > totals.py <<'END'
import csv
import sys

totals = {}
with open(sys.argv[1], newline="", encoding="utf-8-sig") as file:
    for row in csv.DictReader(file):
        category = row["category"].strip()
        totals[category] = totals.get(category, 0) + float(row["amount"].strip() or 0)
for category in sorted(totals):
    print(f"{category}\t{totals[category]:.2f}")
END
