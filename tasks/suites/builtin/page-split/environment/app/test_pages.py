import unittest

from pages import pages


class Pages(unittest.TestCase):
    def test_full_pages(self):
        self.assertEqual(pages([1, 2, 3, 4], 2), [[1, 2], [3, 4]])

    def test_last_page_may_be_shorter(self):
        self.assertEqual(pages([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]])

    def test_nothing(self):
        self.assertEqual(pages([], 3), [])


if __name__ == "__main__":
    unittest.main()
