# Makes the repository: a price module over twelve commits. Dates are fixed, so that the hashes are the same in every build.
set -e
export GIT_AUTHOR_DATE="2024-05-01T10:00:00Z" GIT_COMMITTER_DATE="2024-05-01T10:00:00Z"
git init -q -b main
git config user.name "Robin"
git config user.email "robin@example.com"
save() { git add price.py README.txt; git commit -q -m "$1"; }

echo "Prices in cents." > README.txt
cat > price.py <<'END'
def discount(cents, percent):
    return cents - cents * percent // 100
END
save "Begin with the discount"
sed -i '1a\    """The price after a discount in percent."""' price.py
save "Document the discount"
printf '\n\ndef tax(cents):\n    return cents * 19 // 100\n' >> price.py
save "Add the tax"
echo "Percent are whole numbers." >> README.txt
save "Say what a percent is"
printf '\n\ndef euros(cents):\n    return f"{cents // 100}.{cents %% 100:02d}"\n' >> price.py
save "Show euros"
sed -i 's/The price after a discount in percent/The price after a discount of some percent/' price.py
save "Word the discount better"
sed -i 's/    return cents - cents \* percent \/\/ 100/    return cents * (100 - percent) \/\/ 100/; s/cents \* 19 \/\/ 100/cents * 19 \/\/ 100 if cents > 0 else 0/' price.py
save "No tax on refunds, tidy up"
printf '\n\ndef shipping(cents):\n    return 0 if cents >= 5000 else 490\n' >> price.py
save "Add shipping"
echo "Shipping is free from 50 euros." >> README.txt
save "Say when shipping is free"
sed -i 's/def discount(cents, percent):/def discount(cents, percent=0):/' price.py
save "A discount of nothing by default"
printf '\n\ndef total(cents, percent=0):\n    price = discount(cents, percent)\n    return price + shipping(price)\n' >> price.py
save "Add the total"
sed -i 's/5000 else 490/6000 else 490/' price.py
sed -i 's/50 euros/60 euros/' README.txt
save "Shipping is free from 60 euros"
