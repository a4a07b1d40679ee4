cat > greet.sh <<'END'
printf 'Hello, %s!\n' "${1:-world}"
END
