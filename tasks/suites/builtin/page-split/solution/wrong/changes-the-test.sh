sed -i 's/, \[5\]\]/]/' test_pages.py
