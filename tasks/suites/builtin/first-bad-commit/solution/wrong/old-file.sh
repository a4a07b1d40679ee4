# The right commit, but the first version of the file comes back and all later functions are lost.
git log --format=%H --grep='tidy up' -1 > bad.txt
git show "$(git rev-list --reverse HEAD | head -n 1):price.py" > price.py
