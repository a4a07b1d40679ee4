sed 's/"$word"/"$1"/' check.sh > new && mv new check.sh
