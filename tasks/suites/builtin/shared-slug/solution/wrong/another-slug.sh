# One place for all, but punctuation is treated in another way.
printf 'import re\n\n\ndef slugify(title):\n    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")\n' > slug.py
printf 'from slug import slugify\n\n\ndef post_url(title, year):\n    return f"/blog/{year}/{slugify(title)}"\n' > blog.py
printf 'from slug import slugify\n\n\ndef product_url(name, number):\n    return f"/shop/{slugify(name)}-{number}"\n' > shop.py
printf 'from slug import slugify\n\n\ndef page_url(heading):\n    return "/wiki/" + slugify(heading)\n' > wiki.py
