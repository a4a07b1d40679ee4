sed 's/grep -i "$word"/grep -i -x "$1"/' check.sh > new && mv new check.sh
