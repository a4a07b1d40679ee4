echo 'echo "Hello, world!"' > greet.sh
