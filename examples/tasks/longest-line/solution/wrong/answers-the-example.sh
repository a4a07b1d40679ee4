echo 'echo "keeps what the river"' > longest.sh
