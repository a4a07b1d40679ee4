"""Prints the sum of the amounts of each category in a CSV file."""
import sys

totals = {}
with open(sys.argv[1]) as file:
    next(file)
    for line in file:
        date, category, note, amount = line.strip().split(",")
        totals[category] = totals.get(category, 0) + float(amount)
for category in sorted(totals):
    print(f"{category}\t{totals[category]}")
