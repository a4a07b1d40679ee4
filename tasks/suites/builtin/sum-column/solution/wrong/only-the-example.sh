echo 'print(872)' > total.py
