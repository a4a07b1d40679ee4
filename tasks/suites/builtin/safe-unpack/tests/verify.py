"""Sends archives with names drawn now: hostile ones of every kind, each with honest members around, and honest ones."""
import os
import sys
import io
import random
import tarfile
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import apart

app = apart.work()

words = random.sample(["amber", "birch", "cedar", "delta", "ember", "flint", "grove", "heron", "inlet", "jade"], 6)
a, b, c, d, e, f = words


def file(name, text="text"):
    member = tarfile.TarInfo(name)
    member.size = len(text)
    return member, text


def other(name, kind, target=""):
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    member.mode = 0o755
    return member, ""


def folder_(name):
    return other(name, tarfile.DIRTYPE)


def link(name, target):
    return other(name, tarfile.SYMTYPE, target)


def hard(name, target):
    return other(name, tarfile.LNKTYPE, target)


def unpack(members, compression):
    """Answers exit code, what lies in the folder, and what lies beside it."""
    with tempfile.TemporaryDirectory() as outer:
        folder, archive = os.path.join(outer, "deep", "er", "folder"), os.path.join(outer, "archive.tar")
        os.makedirs(folder)
        with tarfile.open(archive, f"w:{compression}") as tar:
            for member, text in members:
                tar.addfile(member, io.BytesIO(text.encode()))
        run = apart.run(["python3", os.path.join(app, "unpack.py"), archive, folder], cwd=app, capture_output=True, text=True, timeout=20)
        inside, outside = {}, []
        for parent, folders, files in os.walk(outer):
            for name in [*folders, *files]:
                path = os.path.join(parent, name)
                if not path.startswith(folder + "/"):
                    outside.append(os.path.relpath(path, outer))
                elif os.path.islink(path):
                    inside[os.path.relpath(path, folder)] = "-> " + os.readlink(path)
                elif os.path.isdir(path):
                    inside[os.path.relpath(path, folder)] = "/"
                else:
                    with open(path) as file:
                        inside[os.path.relpath(path, folder)] = file.read()
        return run.returncode, inside, sorted(outside), run.stderr


beside = ["archive.tar", "deep", "deep/er", "deep/er/folder"]
hostile = {
    "dots": [file(f"../{a}")],
    "dots within": [folder_(a), file(f"{a}/../../{b}")],
    "dots that stay inside": [folder_(a), file(f"{a}/../{b}")],
    "absolute": [file(f"/tmp/{a}-{random.randint(0, 10**9)}")],
    "link out": [link(a, "../..")],
    "link to an absolute place": [link(a, "/etc/passwd")],
    "file through a link out": [link(a, ".."), file(f"{a}/{b}")],
    "file through a link that stays inside": [folder_(a), link(b, a), file(f"{b}/{c}")],
    "two links that lead out together": [folder_(a), link(f"{a}/{b}", ".."), link(c, f"{a}/{b}/..")],
    "three links that lead out together": [folder_(a), folder_(f"{a}/{b}"), link(f"{a}/{b}/{c}", "../.."), link(d, f"{a}/{b}/{c}/../.."), link(e, d)],
    "link through a link": [folder_(a), link(f"{a}/{b}", ".."), link(f"{a}/{b}/{c}", "..")],
    "hard link out": [hard(a, "../archive.tar")],
    "hard link to an absolute place": [hard(a, "/etc/hostname")],
    "hard link to what is not in the archive": [hard(a, b)],
    "hard link through a link": [folder_(a), file(f"{a}/{c}"), link(b, a), hard(d, f"{b}/{c}")],
    "hard link to a link": [folder_(a), file(c), link(f"{a}/{b}", f"../{c}"), hard(d, f"{a}/{b}")],
    "hard link to a link, and a file over it": [folder_(a), link(f"{a}/{b}", "../archive.tar"), hard(c, f"{a}/{b}"), file(c)],
    "pipe": [other(a, tarfile.FIFOTYPE)],
    "device": [other(a, tarfile.CHRTYPE)],
}
for name, members in hostile.items():
    honest = [folder_(f), file(f"{f}/first"), *members, file("last")]
    code, inside, outside, stderr = unpack(honest, random.choice(["", "gz"]))
    if outside != beside:
        sys.exit(f"{name}: written outside: {sorted(set(outside) - set(beside))}")
    if code != 1:
        sys.exit(f"{name}: exit code {code} {stderr[-300:]}")
    if inside:
        sys.exit(f"{name}: refused, but {sorted(inside)} was written")

honest = {
    "files": [folder_(a), folder_(f"{a}/{b}"), file(f"{a}/{b}/{c}", d), file(e, f), file(f"..{a}", b), file(f"{b}..", "")],
    "links": [folder_(a), folder_(f"{a}/{b}"), file(c, d), link(f"{a}/{b}/{e}", f"../../{c}"), link(f, f"{a}/{b}"), link(f"{a}/up", ".."), link("self", ".")],
    "a link to nothing": [link(a, b)],
    "hard links": [file(a, b), hard(c, a)],
    "leading dots": [folder_("./" + a), file(f"./{a}/{b}", c), link(f"./{d}", f"./{a}"), hard(f"./{e}", f"./{a}/{b}")],
}
for name, members in honest.items():
    code, inside, outside, stderr = unpack(members, random.choice(["", "gz"]))
    expected, texts = {}, {os.path.normpath(m.name): text for m, text in members}
    for member, text in members:
        path = os.path.normpath(member.name)
        expected[path] = (
            "/" if member.isdir() else f"-> {member.linkname}" if member.issym() else texts[os.path.normpath(member.linkname)] if member.islnk() else text
        )
    if code != 0 or inside != expected or outside != beside:
        sys.exit(f"honest {name}: exit code {code}, {inside} instead of {expected} {stderr[-300:]}")
