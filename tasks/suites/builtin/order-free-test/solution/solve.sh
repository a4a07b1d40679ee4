sed -i 's/found = list(\(.*\))$/found = \1/; s/\["milk", "bread", "shop"\]/{"milk", "bread", "shop"}/' test_tags.py
