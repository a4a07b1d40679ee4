echo 'sort "$1"' > unique.sh
