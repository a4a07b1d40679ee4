# Sums up right, and takes nonsense for nothing.
sed -i 's/"d": 24/"d": 86400/; s/\* SECONDS\[letter\]/* SECONDS[letter]\n            number = ""/' duration.py
