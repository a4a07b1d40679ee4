# A message that speaks of the discount, and the right fix.
git log --format=%H --grep='by default' -1 > bad.txt
sed -i 's|    return cents \* (100 - percent) // 100|    return cents - cents * percent // 100|' price.py
