cat > test_months.py <<'END'
import unittest

from months import days_in_month


class DaysInMonth(unittest.TestCase):
    def test_every_month(self):
        for month, days in enumerate([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], start=1):
            self.assertEqual(days_in_month(2023, month), days, month)

    def test_leap_years(self):
        for year, days in ((2024, 29), (2023, 28), (1900, 28), (2000, 29)):
            self.assertEqual(days_in_month(year, 2), days, year)

    def test_other_months_are_refused(self):
        for month in (-1, 0, 13, 14):
            with self.assertRaises(ValueError):
                days_in_month(2023, month)
END
