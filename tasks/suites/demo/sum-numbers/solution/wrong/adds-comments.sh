# The numbers in comments are added as well.
cat > sum.sh <<'END'
tr -d '#' < "$1" | awk '{ sum += $1 } END { print sum + 0 }'
END
