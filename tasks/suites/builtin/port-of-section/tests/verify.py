"""Compares the file, byte for byte, with what it should be."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()

with open(os.path.join(os.environ.get("FORGE_TESTS", "/tests"), "expected.ini"), "rb") as file:
    expected = file.read().split(b"\n")
with open(os.path.join(app, "settings.ini"), "rb") as file:
    found = file.read().split(b"\n")
if len(found) != len(expected):
    sys.exit(f"settings.ini has {len(found)} lines instead of {len(expected)}")
for number, (was, should) in enumerate(zip(found, expected), 1):
    if was != should:
        sys.exit(f"line {number} is {was!r} instead of {should!r}")
