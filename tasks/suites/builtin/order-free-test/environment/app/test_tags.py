import unittest

from tags import tags


class Tags(unittest.TestCase):
    def test_finds_every_tag(self):
        found = list(tags("buy #milk and #bread at the #shop"))
        self.assertEqual(found, ["milk", "bread", "shop"])


if __name__ == "__main__":
    unittest.main()
