echo '*.tmp' > .gitignore
git add .gitignore
git commit -q -m 'Ignore temporary files'
