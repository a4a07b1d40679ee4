# The third copy has no function of its own and is overlooked.
sed '/^def slugify/,/return "-".join/!d' blog.py > slug.py
printf 'from slug import slugify\n\n\ndef post_url(title, year):\n    return f"/blog/{year}/{slugify(title)}"\n' > blog.py
printf 'from slug import slugify\n\n\ndef product_url(name, number):\n    return f"/shop/{slugify(name)}-{number}"\n' > shop.py
