# Prints the layout with the page in the place of the line "@page@".
while IFS= read -r line; do
  if [ "$line" = "@page@" ]; then cat "$2"; else printf '%s\n' "$line"; fi
done < "$1"
