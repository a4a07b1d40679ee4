sed 's/grep -i "$word"/grep -i -w -e "$1"/' check.sh > new && mv new check.sh
