cat > total.py <<'END'
import csv
import sys

with open(sys.argv[1], newline="") as file:
    print(sum(int(row["amount"]) for row in csv.DictReader(file)))
END
