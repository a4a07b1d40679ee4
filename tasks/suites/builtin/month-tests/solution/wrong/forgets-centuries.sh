cat > test_months.py <<'END'
import unittest

from months import days_in_month


class DaysInMonth(unittest.TestCase):
    def test_every_month(self):
        for month, days in enumerate([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], start=1):
            self.assertEqual(days_in_month(2023, month), days)
        self.assertEqual(days_in_month(2024, 2), 29)

    def test_refused(self):
        for month in (0, 13):
            self.assertRaises(ValueError, days_in_month, 2023, month)
END
