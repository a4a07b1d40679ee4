echo 'find "$1" -name "*.txt" | while read -r f; do mv -n "$f" "${f%.txt}.md"; done' > rename.sh
