# Makes the repository: two branches that change the same function. Dates are fixed, so that the hashes are the same in every build.
set -e
export GIT_AUTHOR_DATE="2024-05-01T10:00:00Z" GIT_COMMITTER_DATE="2024-05-01T10:00:00Z"
git init -q -b main
git config user.name "Robin"
git config user.email "robin@example.com"

cat > greet.py <<'END'
def greeting(name):
    """What is said to a guest."""
    return f"Hello {name}"
END
git add greet.py && git commit -q -m "Greet a guest"

git checkout -q -b polite
cat > greet.py <<'END'
def greeting(name, title=None):
    """What is said to a guest, with the title where there is one."""
    who = f"{title} {name}" if title else name
    return f"Hello {who}"
END
cat > farewell.py <<'END'
def farewell(name):
    return f"Goodbye {name}"
END
git add greet.py farewell.py && git commit -q -m "Know titles, say goodbye"

git checkout -q main
cat > greet.py <<'END'
def greeting(name):
    """What is said to a guest, whose name may be typed carelessly."""
    return f"Hello {name.strip().capitalize()}!"
END
git add greet.py && git commit -q -m "Tidy the name, add the exclamation mark"
