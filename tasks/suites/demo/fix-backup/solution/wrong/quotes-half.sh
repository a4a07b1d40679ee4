# Quotes the folders and forgets the files.
cat > backup.sh <<'END'
mkdir -p "$2"
for file in $(ls "$1"); do
  cp "$1/$file" "$2"
done
END
