sed -i 's/^def calc(/def total_price(/' prices.py
echo 'calc = total_price' >> prices.py
