# Forgets that the new name may be taken.
echo 'for f in "$1"/*.txt; do [ -f "$f" ] && mv "$f" "${f%.txt}.md"; done' > rename.sh
