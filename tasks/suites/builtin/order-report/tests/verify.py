"""Runs report.py on orders drawn now; ties and cancelled orders are always among them."""
import json
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()
names = ["Ada", "Ben", "Cleo", "Dora", "Emil", "Fritz", "Gus", "Hana"]
for size in (0, 8, 60):
    orders = [
        {"customer": random.choice(names), "cents": random.randint(1, 99999), "status": random.choice(["paid", "open", "cancelled"])}
        for _ in range(size)
    ]
    tie = random.randint(1, 999)
    orders += [{"customer": name, "cents": tie, "status": "paid"} for name in random.sample(["Zoe", "Yann", "Xia", "Will"], 4)]
    orders.append({"customer": "Nobody", "cents": 5, "status": "cancelled"})
    random.shuffle(orders)
    sums = {}
    for order in orders:
        if order["status"] != "cancelled":
            sums[order["customer"]] = sums.get(order["customer"], 0) + order["cents"]
    expected = [f"{name} {cents // 100}.{cents % 100:02d}" for name, cents in sorted(sums.items(), key=lambda item: (-item[1], item[0]))]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(orders, file)
        file.flush()
        run = apart.run(["python3", "report.py", file.name], cwd=app, capture_output=True, text=True, timeout=10)
    if run.stdout.splitlines() != expected:
        sys.exit(f"{size} orders: expected {expected}, got {run.stdout[:400]!r} {run.stderr[-300:]!r}")
