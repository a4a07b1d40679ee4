cat > pages.py <<'END'
def pages(items, size):
    """Split a list into pages of `size` items; the last page may be shorter."""
    return [items[start : start + size] for start in range(0, len(items), size)]
END
