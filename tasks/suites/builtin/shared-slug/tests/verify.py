"""Runs the three functions on titles drawn now, then once more with another slug.py, which all three must follow."""
import json
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()
probe = """
import json, sys
from blog import post_url
from shop import product_url
from wiki import page_url
print(json.dumps([[post_url(t, 2000), product_url(t, 7), page_url(t)] for t in json.load(sys.stdin)]))
"""


def slug(title):
    words = ("".join(letter for letter in word if letter.isalnum()) for word in title.lower().split())
    return "-".join(word for word in words if word)


def check(folder, titles, slugs):
    run = apart.run(["python3", "-c", probe], cwd=folder, input=json.dumps(titles), capture_output=True, text=True, timeout=20)
    if run.returncode != 0:
        sys.exit(run.stderr[-500:])
    for title, it, got in zip(titles, slugs, json.loads(run.stdout), strict=True):
        if got != [f"/blog/2000/{it}", f"/shop/{it}-7", f"/wiki/{it}"]:
            sys.exit(f"{title!r}: expected the slug {it!r} in {got}")


titles = ["".join(random.choices("abCD9é  ,.!-_'", k=random.randint(0, 25))) for _ in range(60)]
with tempfile.TemporaryDirectory() as folder:
    for name in os.listdir(app):
        if name.endswith(".py"):
            shutil.copy(os.path.join(app, name), folder)
    check(folder, titles, [slug(title) for title in titles])
    marker = f"marked{random.randint(1000, 9999)}"
    with open(os.path.join(folder, "slug.py"), "w") as file:
        file.write(f'def slugify(title):\n    return "{marker}"\n')
    check(folder, titles, [marker for _ in titles])
