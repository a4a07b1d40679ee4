# Removes repeated lines only where they stand next to each other.
echo 'uniq "$1"' > unique.sh
