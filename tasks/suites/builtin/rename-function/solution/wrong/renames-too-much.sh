sed -i 's/calc/total_price/g' prices.py cart.py receipt.py
