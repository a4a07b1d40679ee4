"""Runs totals.py on files drawn now: every rule of the instruction is in each of them."""
import os
import sys
import csv
import io
import random
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()

categories = ["tools", "seeds", "Pots, large", 'so called "misc"', "two\nlines", "Bäume", "zebra", "Äpfel"]


def amount(cents):
    sign, whole, part = "-" if cents < 0 else "", abs(cents) // 100, abs(cents) % 100
    short = [f"{sign}{whole}"] if part == 0 else [f"{sign}{whole}.{part // 10}"] if part % 10 == 0 else []
    return random.choice([f"{sign}{whole}.{part:02d}", *short])


def export(rows, mark, ending):
    columns = ["category", "amount", "note", "date", "by"][: random.choice([2, 4, 5])]
    # The amount never stands where it stands in the sample.
    while columns.index("amount") == 3 or (len(columns) > 3 and columns[1] == "category"):
        random.shuffle(columns)
    text = io.StringIO()
    out = csv.writer(text, lineterminator=ending, quoting=random.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    out.writerow(columns)
    for category, cents in rows:
        spaces = random.choice(["", " ", "  "])
        field = {
            "category": spaces + category + spaces[:1],
            "amount": "" if cents is None else amount(cents),
            "note": random.choice(["", "plain", "with, comma", 'with "quotes"', f"over{ending}lines"]),
            "date": "2024-03-01",
            "by": "Émile",
        }
        out.writerow([field[column] for column in columns])
        if random.random() < 0.1:
            text.write(ending)
    return ("\ufeff" if mark else "") + text.getvalue()


for mark, ending in [(True, "\r\n"), (False, "\n"), (True, "\n"), (False, "\r\n")]:
    rows = [(random.choice(categories), random.choice([None, 0, random.randint(-99999, 99999)])) for _ in range(60)]
    # Large amounts that a floating point number cannot add to cents exactly.
    rows += [("zebra", 10**17 + random.randint(1, 9) * 10 + 1) for _ in range(3)] + [("only nothing", None)]
    rows += [("tools", 10), ("tools", 20)]
    random.shuffle(rows)
    sums = {}
    for category, cents in rows:
        sums[category] = sums.get(category, 0) + (cents or 0)
    expected = "".join(
        f"{category}\t{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}\n" for category, cents in sorted(sums.items())
    )
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        file.write(export(rows, mark, ending).encode())
        file.flush()
        utf8 = {**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1"}
        run = apart.run(["python3", "totals.py", file.name], cwd=app, capture_output=True, timeout=20, env=utf8)
    if run.stdout.decode(errors="replace") != expected:
        sys.exit(f"mark {mark}, ending {ending!r}: expected {expected!r}, got {run.stdout[:600]!r} {run.stderr[-300:]!r}")
