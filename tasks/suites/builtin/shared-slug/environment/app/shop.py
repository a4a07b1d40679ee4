def make_slug(name):
    parts = []
    for part in name.lower().split():
        clean = "".join(c for c in part if c.isalnum())
        if clean:
            parts.append(clean)
    return "-".join(parts)


def product_url(name, number):
    return f"/shop/{make_slug(name)}-{number}"
