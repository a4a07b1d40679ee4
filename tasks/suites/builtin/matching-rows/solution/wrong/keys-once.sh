# Makes each key plain only once, and still compares all with all.
cat > join.py <<'END'
def plain(key):
    return " ".join(key.split()).casefold()


def join(left, right):
    lefts, rights = [plain(a[0]) for a in left], [plain(b[0]) for b in right]
    return [(a, b) for a, x in zip(left, lefts) for b, y in zip(right, rights) if x and x == y]
END
