"""Runs rename.sh on folders made now and compares every file with what should be there."""
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()


def word():
    return "".join(random.choices("abcxyz", k=random.randint(3, 8)))


def tree(folder):
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            with open(path) as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def check(before):
    expected = {}
    for name, text in before.items():
        target = name[:-4] + ".md"
        moves = name.endswith(".txt") and "/" not in name and target not in before
        expected[target if moves else name] = text
    with tempfile.TemporaryDirectory(prefix="a b ") as folder:
        for name, text in before.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        apart.run(["bash", "rename.sh", folder], cwd=app, capture_output=True, timeout=10)
        if tree(folder) != expected:
            sys.exit(f"from {sorted(before)}: expected {sorted(expected)}, got {sorted(tree(folder))}")


for _ in range(3):
    taken, deep = word() + "1", word()
    names = [word() + "2.txt", f"{word()} {word()}.txt", f"{word()}.txt.txt", word() + ".jpg", "txt", f"{deep}/{word()}.txt", f"{deep}/{word()}.md"]
    check({name: word() for name in [*names, taken + ".txt", taken + ".md"]})
check({word() + ".jpg": word(), word(): word()})
