cat > unpack.py <<'END'
"""Unpacks a tar archive into an empty folder, or refuses it as a whole: python3 unpack.py ARCHIVE FOLDER"""
import sys
import tarfile


def parts_of(name):
    return [part for part in name.split("/") if part not in ("", ".")]


def refusal(members):
    links, names = set(), set()
    for member in members:
        if member.issym():
            links.add(tuple(parts_of(member.name)))
        names.add(tuple(parts_of(member.name)))
    for member in members:
        parts = parts_of(member.name)
        if member.name.startswith("/") or ".." in parts:
            return f"{member.name!r} leads outside"
        if not (member.isreg() or member.isdir() or member.issym() or member.islnk()):
            return f"{member.name!r} is not a file, a folder or a link"
        if any(tuple(parts[:length]) in links for length in range(1, len(parts))):
            return f"{member.name!r} leads through a link"
        if member.islnk():
            target = parts_of(member.linkname)
            if member.linkname.startswith("/") or ".." in target or tuple(target) not in names:
                return f"{member.name!r} links to {member.linkname!r}"
            # The whole name too: a hard link to a symbolic link is that link once more, in another folder.
            if any(tuple(target[:length]) in links for length in range(1, len(target) + 1)):
                return f"{member.name!r} links through a link, or to one"
        if member.issym():
            target = parts_of(member.linkname)
            ups = 0
            while ups < len(target) and target[ups] == "..":
                ups += 1
            # The link's own folders are real, so leading ".." mean what they say; one behind a name could follow a link upwards.
            if member.linkname.startswith("/") or ".." in target[ups:] or ups > len(parts) - 1:
                return f"{member.name!r} links to {member.linkname!r}"
    return None


archive, folder = sys.argv[1:]
with tarfile.open(archive) as tar:
    why = refusal(tar.getmembers())
    if why:
        sys.exit(f"{archive} is refused: {why}")
    tar.extractall(folder)
END
