"""Runs make in a fresh copy with pages drawn now, and tells by the files' times what was rendered again."""
import os
import sys
import random
import shutil
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()

layout = ["== top ==", "@page@", "-- end --"]
names = random.sample(["moss", "fern", "iris", "thyme", "oak", "elm", "sorrel", "lily"], 4)
pages = {f"{name}.txt": f"{name} {random.randint(0, 10**9)}\n" for name in names}
script = """while IFS= read -r line; do
  if [ "$line" = "@page@" ]; then cat "$2"; else printf '%s\\n' "$line"; fi
done < "$1"
"""
now = time.time() - 5000


def date(path):
    """Every file gets a later time than all before it, in steps that no file system rounds away."""
    global now
    now += 10
    os.utime(path, (now, now))


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    date(path)


def make(folder):
    """Answers the names of what was rendered, and dates it after everything that it was made of."""
    out = os.path.join(folder, "out")
    before = {name: os.stat(os.path.join(out, name)).st_mtime_ns for name in os.listdir(out)} if os.path.isdir(out) else {}
    run = apart.run(["make"], cwd=folder, capture_output=True, text=True, timeout=30)
    if run.returncode != 0:
        sys.exit(f"make fails: {run.stderr[-400:]}")
    after = {name: os.stat(os.path.join(out, name)).st_mtime_ns for name in os.listdir(out)}
    for name, page in pages.items():
        expected = "".join(page if line == "@page@" else line + "\n" for line in layout)
        if name not in after:
            sys.exit(f"{name} is not rendered")
        with open(os.path.join(out, name)) as file:
            if file.read() != expected:
                sys.exit(f"{name} is rendered wrongly")
    rendered = {name for name, when in after.items() if before.get(name) != when}
    for name in rendered:
        date(os.path.join(out, name))
    return rendered


def expect(what, rendered, expected):
    if rendered != set(expected):
        sys.exit(f"{what}: rendered {sorted(rendered)}, expected {sorted(expected)}")


with tempfile.TemporaryDirectory() as outer:
    folder = os.path.join(outer, "site")
    os.makedirs(os.path.join(folder, "pages"))
    shutil.copy(os.path.join(app, "Makefile"), folder)
    date(os.path.join(folder, "Makefile"))
    write(os.path.join(folder, "render.sh"), script)
    write(os.path.join(folder, "layout.txt"), "\n".join(layout) + "\n")
    for name, page in pages.items():
        write(os.path.join(folder, "pages", name), page)
    expect("a fresh copy", make(folder), pages)
    expect("nothing changed", make(folder), [])
    expect("nothing changed again", make(folder), [])

    one = random.choice(list(pages))
    pages[one] += "more\n"
    write(os.path.join(folder, "pages", one), pages[one])
    expect("one page changed", make(folder), [one])
    pages["new.txt"] = "a new page\n"
    write(os.path.join(folder, "pages", "new.txt"), pages["new.txt"])
    expect("a new page", make(folder), ["new.txt"])
    layout[0] = f"== {random.randint(0, 10**9)} =="
    write(os.path.join(folder, "layout.txt"), "\n".join(layout) + "\n")
    expect("another layout", make(folder), pages)
    write(os.path.join(folder, "render.sh"), "# changed\n" + script)
    expect("another script", make(folder), pages)
    expect("nothing changed at the end", make(folder), [])
