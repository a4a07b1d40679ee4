def pages(items, size):
    """Split a list into pages of `size` items; the last page may be shorter."""
    result = []
    for number in range(len(items) // size):
        result.append(items[number * size : (number + 1) * size])
    return result
