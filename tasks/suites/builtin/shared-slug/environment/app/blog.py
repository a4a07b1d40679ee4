def slugify(title):
    words = []
    for word in title.lower().split():
        kept = "".join(letter for letter in word if letter.isalnum())
        if kept:
            words.append(kept)
    return "-".join(words)


def post_url(title, year):
    return f"/blog/{year}/{slugify(title)}"
