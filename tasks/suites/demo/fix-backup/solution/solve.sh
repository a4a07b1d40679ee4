cat > backup.sh <<'END'
# Copies every file of a folder to another folder: sh backup.sh FROM TO
mkdir -p -- "$2"
for file in "$1"/*; do
  cp -- "$file" "$2/"
done
END
