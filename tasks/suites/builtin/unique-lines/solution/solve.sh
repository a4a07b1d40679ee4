cat > unique.sh <<'END'
LC_ALL=C sort -u -- "$1"
END
