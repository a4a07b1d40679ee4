for commit in $(git rev-list --reverse HEAD); do
  answer=$(git show "$commit:price.py" | python3 -c 'import sys; exec(sys.stdin.read()); print(discount(999, 15))')
  if [ "$answer" != 850 ]; then
    echo "$commit" > bad.txt
    break
  fi
done
sed -i 's|    return cents \* (100 - percent) // 100|    return cents - cents * percent // 100|' price.py
