# Makes the repository: a commit that was amended twice, then lost by a reset. Dates are fixed, so that the hashes are the same in every build.
set -e
git init -q -b main
git config user.name "Kim"
git config user.email "kim@example.com"
at() { export GIT_AUTHOR_DATE="2024-06-0$1T09:00:00Z" GIT_COMMITTER_DATE="2024-06-0${2:-$1}T09:30:00Z"; }

at 1
cat > times.py <<'END'
"""Times as people write them."""


def show(seconds):
    """Shows whole seconds as M:SS."""
    return f"{seconds // 60}:{seconds % 60:02d}"
END
echo "Times." > README.txt
git add times.py README.txt && git commit -q -m "Show times"
base=$(git rev-parse HEAD)

# Noa's work, three versions of the same commit.
noa() { git -c user.name=Noa -c user.email=noa@example.com "$@"; }
at 2
cat >> times.py <<'END'


def read(text):
    """The seconds of a time such as 4:05."""
    minutes, seconds = text.split(":")
    return int(minutes) * 60 + int(seconds)
END
noa commit -q -a -m "Read times back"
at 2 3
sed -i 's/^    return f"{seconds .*/    if seconds < 0:\n        raise ValueError(f"{seconds} seconds: a time is not negative")\n&/' times.py
noa commit -q -a --amend -m "Read times back, refuse negative ones"
at 2 5
sed -i 's/text\.split/text.strip().split/' times.py
noa commit -q -a --amend -m "Read times back, refuse negative ones" -m "Spaces around a time are let through, as the form sends them."
git reset -q --hard "$base"

# An older try of somebody else, begun later by its author's clock and committed earlier.
export GIT_AUTHOR_DATE="2024-06-08T09:00:00Z" GIT_COMMITTER_DATE="2024-06-04T12:00:00Z"
printf '\n\ndef read(text):\n    return 60 * float(text.replace(":", "."))\n' >> times.py
git commit -q -a -m "Read times back (try)"
git reset -q --hard "$base"

at 6
sed -i 's/    """Shows whole seconds as M:SS."""/    """Shows whole seconds as M:SS, from an hour on as H:MM:SS."""/; s/^    return f"{seconds .*/    hours, minutes = seconds \/\/ 3600, seconds \/\/ 60 % 60\n    if hours:\n        return f"{hours}:{minutes:02d}:{seconds % 60:02d}"\n    return f"{minutes}:{seconds % 60:02d}"/' times.py
git commit -q -a -m "Show hours"
at 7
echo "An hour is shown as 1:00:00." >> README.txt
git commit -q -a -m "Say how hours are shown"
git reflog expire --expire=now --all
rm -f .git/ORIG_HEAD .git/COMMIT_EDITMSG
