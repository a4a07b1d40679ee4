git checkout -q main
git merge -q --no-edit polite || true
cat > greet.py <<'END'
def greeting(name, title=None):
    """What is said to a guest, whose name may be typed carelessly; with the title where there is one."""
    tidy = name.strip().capitalize()
    return f"Hello {title} {tidy}!" if title else f"Hello {tidy}!"
END
git add greet.py
git commit -q --no-edit
