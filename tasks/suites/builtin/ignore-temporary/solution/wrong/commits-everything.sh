echo '*.tmp' > .gitignore
git add -A
git commit -q -m 'Ignore temporary files'
