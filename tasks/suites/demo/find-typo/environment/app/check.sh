# Says whether a word occurs in a file, in upper or lower case: sh check.sh WORD FILE
if grep -i "$word" "$2" > /dev/null; then
  echo yes
else
  echo no
fi
