cat > join.py <<'END'
def plain(key):
    return " ".join(key.split()).casefold()


def join(left, right):
    by_key = {}
    for b in right:
        by_key.setdefault(plain(b[0]), []).append(b)
    return [(a, b) for a in left for b in by_key.get(plain(a[0]), ())]
END
