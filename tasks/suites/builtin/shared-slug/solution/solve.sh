cat > slug.py <<'END'
def slugify(title):
    """The part of a URL that stands for a title: its words in lower case, letters and digits only, joined by "-"."""
    words = ("".join(letter for letter in word if letter.isalnum()) for word in title.lower().split())
    return "-".join(word for word in words if word)
END
cat > blog.py <<'END'
from slug import slugify


def post_url(title, year):
    return f"/blog/{year}/{slugify(title)}"
END
cat > shop.py <<'END'
from slug import slugify


def product_url(name, number):
    return f"/shop/{slugify(name)}-{number}"
END
cat > wiki.py <<'END'
from slug import slugify


def page_url(heading):
    return "/wiki/" + slugify(heading)
END
