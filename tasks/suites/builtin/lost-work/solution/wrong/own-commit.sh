# The right files in a commit of one's own.
last=$(git fsck --no-reflogs --unreachable 2>/dev/null | awk '$2 == "commit" { print $3 }' | while read -r c; do
  git log -1 --format='%ct %H %s' "$c"
done | grep ' Read times back' | sort -n | tail -n 1 | cut -d ' ' -f 2)
cat > times.py <<'END'
"""Times as people write them."""


def show(seconds):
    """Shows whole seconds as M:SS, from an hour on as H:MM:SS."""
    if seconds < 0:
        raise ValueError(f"{seconds} seconds: a time is not negative")
    hours, minutes = seconds // 3600, seconds // 60 % 60
    if hours:
        return f"{hours}:{minutes:02d}:{seconds % 60:02d}"
    return f"{minutes}:{seconds % 60:02d}"


def read(text):
    """The seconds of a time such as 4:05."""
    minutes, seconds = text.strip().split(":")
    return int(minutes) * 60 + int(seconds)
END
git add times.py
git commit -q -m "Read times back, refuse negative ones"
