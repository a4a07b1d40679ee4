echo 'echo 40' > sum.sh
