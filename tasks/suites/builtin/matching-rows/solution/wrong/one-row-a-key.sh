# Fast, but of several rows with the same key only the last is found.
cat > join.py <<'END'
def plain(key):
    return " ".join(key.split()).casefold()


def join(left, right):
    by_key = {plain(b[0]): b for b in right}
    return [(a, by_key[plain(a[0])]) for a in left if plain(a[0]) and plain(a[0]) in by_key]
END
