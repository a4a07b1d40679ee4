"""Runs the agent's test many times against the true function, and against wrong ones."""
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()
tests = os.environ.get("FORGE_TESTS", "/tests")
right = open(os.path.join(tests, "given", "tags.py")).read()
lost = random.choice(["milk", "bread", "shop"])
extra = "".join(random.choices("abcdef", k=6))
wrong = {
    "finds nothing": "def tags(text):\n    return set()\n",
    "keeps the sign": right.replace("word[1:]", "word"),
    f"loses {lost}": right + f"\n\nall_tags = tags\n\n\ndef tags(text):\n    return all_tags(text) - {{'{lost}'}}\n",
    f"invents {extra}": right + f"\n\nall_tags = tags\n\n\ndef tags(text):\n    return all_tags(text) | {{'{extra}'}}\n",
    "takes every word": "def tags(text):\n    return {word.strip('#') for word in text.split()}\n",
}


def passes(module, seed):
    with open(os.path.join(folder, "tags.py"), "w") as file:
        file.write(module)
    run = apart.run(
        ["python3", "-m", "unittest", "test_tags"],
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=20,
    )
    return run.returncode == 0 and "Ran 0 tests" not in run.stderr


with tempfile.TemporaryDirectory() as folder:
    shutil.copy(os.path.join(app, "test_tags.py"), folder)
    for seed in random.sample(range(1_000_000), 8):
        if not passes(right, seed):
            sys.exit(f"fails against the true tags.py with PYTHONHASHSEED={seed}")
    for name, module in wrong.items():
        if passes(module, random.randrange(1_000_000)):
            sys.exit(f"passes against a function that {name}")
