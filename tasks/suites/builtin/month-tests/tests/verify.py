"""Runs the agent's tests against right implementations, which must pass, and broken ones drawn now, which must not."""
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()
tests = os.environ.get("FORGE_TESTS", "/tests")
given = open(os.path.join(tests, "given", "months.py")).read()
right = {
    "the one given": given,
    "one with the calendar module": """import calendar


def days_in_month(year, month):
    if month not in range(1, 13):
        raise ValueError("month")
    return calendar.monthrange(year, month)[1]
""",
}
wrapped = given.replace("def days_in_month", "def true_days") + "\n\ndef days_in_month(year, month):\n"
wrong = {
    "leap years are forgotten": given.replace("29 if leap else 28", "28"),
    "every year is a leap year": given.replace("29 if leap else 28", "29"),
    "centuries are leap years": given.replace(" and (year % 100 != 0 or year % 400 == 0)", ""),
    "no century is a leap year": given.replace(" or year % 400 == 0", ""),
    "month 0 is taken": given.replace("month < 1", "month < 0"),
    "month 13 is taken": given.replace("month > 12", "month > 13"),
    "nothing is refused": given.replace("raise ValueError", "str"),
    "another error": given.replace("ValueError", "KeyError"),
}
for month in range(1, 13):
    change = random.choice([-1, 1])
    wrong[f"month {month} has {change:+d} day"] = wrapped + f"    return true_days(year, month) + ({change} if month == {month} else 0)\n"


def passes(module):
    with open(os.path.join(folder, "months.py"), "w") as file:
        file.write(module)
    run = apart.run(
        ["python3", "-m", "unittest", "test_months"],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=20,
    )
    return run.returncode == 0 and "Ran 0 tests" not in run.stderr


with tempfile.TemporaryDirectory() as folder:
    shutil.copy(os.path.join(app, "test_months.py"), folder)
    for name, module in right.items():
        if not passes(module):
            sys.exit(f"the tests fail against a right implementation: {name}")
    for name, module in wrong.items():
        if passes(module):
            sys.exit(f"the tests pass although {name}")
