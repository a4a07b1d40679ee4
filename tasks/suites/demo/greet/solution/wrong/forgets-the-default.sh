echo 'echo "Hello, $1!"' > greet.sh
