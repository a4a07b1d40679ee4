import unittest

from duration import seconds


class Seconds(unittest.TestCase):
    def test_one_unit(self):
        self.assertEqual(seconds("45s"), 45)
        self.assertEqual(seconds("3h"), 10800)

    def test_several_units_add_up(self):
        self.assertEqual(seconds("1h30m"), 5400)

    def test_days_with_a_space_between(self):
        self.assertEqual(seconds("2d 4h"), 187200)

    def test_nonsense_is_refused(self):
        for text in ("", "soon", "12", "h"):
            with self.assertRaises(ValueError):
                seconds(text)


if __name__ == "__main__":
    unittest.main()
