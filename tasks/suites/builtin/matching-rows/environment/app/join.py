"""Joins two lists of rows."""


def plain(key):
    return " ".join(key.split()).casefold()


def join(left, right):
    """Pairs each row of left with every row of right that has the same key.

    Rows are lists whose first entry is the key, a text. Keys are the same when they differ only in case and in spaces around or between
    their words. An empty key is never the same as another. The pairs come in the order of left, and for one row of left in the order of right.
    """
    pairs = []
    for a in left:
        for b in right:
            if plain(a[0]) != "" and plain(a[0]) == plain(b[0]):
                pairs.append((a, b))
    return pairs
