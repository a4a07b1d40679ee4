# Checks each member when its turn comes, so what stands before the bad one is written.
cat > unpack.py <<'END'
import os
import sys
import tarfile

archive, folder = sys.argv[1:]
root = os.path.realpath(folder)
with tarfile.open(archive) as tar:
    for member in tar.getmembers():
        place = os.path.realpath(os.path.join(root, member.name))
        link = os.path.realpath(os.path.join(os.path.dirname(place), member.linkname)) if member.issym() else root
        if member.islnk():
            link = os.path.realpath(os.path.join(root, member.linkname))
        for path in (place, link):
            if path != root and not path.startswith(root + "/"):
                sys.exit(1)
        if ".." in member.name.split("/") or not (member.isreg() or member.isdir() or member.issym() or member.islnk()):
            sys.exit(1)
        tar.extract(member, root)
END
