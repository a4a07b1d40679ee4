git checkout -q polite -- farewell.py
cat > greet.py <<'END'
def greeting(name, title=None):
    tidy = name.strip().capitalize()
    return f"Hello {title} {tidy}!" if title else f"Hello {tidy}!"
END
git add -A
git commit -q -m "Merge branch 'polite'"
