sed -i 's/for line in file\]/for line in file if line.strip()]/' stats.py
