echo '*.tmp' > .gitignore
git add .gitignore
