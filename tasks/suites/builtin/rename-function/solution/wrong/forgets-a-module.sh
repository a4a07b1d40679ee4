sed -i 's/\bcalc(/total_price(/g; s/import calc,/import total_price,/' prices.py cart.py
