sed -i 's/return {\(.*\)}$/return [\1]/' tags.py
