# Undoes the whole commit, the tax on refunds too.
git log --format=%H --grep='tidy up' -1 > bad.txt
sed -i 's|    return cents \* (100 - percent) // 100|    return cents - cents * percent // 100|; s| if cents > 0 else 0||' price.py
