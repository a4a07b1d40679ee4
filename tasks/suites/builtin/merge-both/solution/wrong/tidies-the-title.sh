git merge -q --no-edit polite || true
cat > greet.py <<'END'
def greeting(name, title=None):
    who = f"{title} {name}" if title else name
    return f"Hello {who.strip().capitalize()}!"
END
git add greet.py
git commit -q --no-edit
