cat > test_months.py <<'END'
import unittest

from months import days_in_month


class DaysInMonth(unittest.TestCase):
    def test_some(self):
        self.assertEqual(days_in_month(2023, 1), 31)
        self.assertEqual(days_in_month(2023, 4), 30)
        self.assertEqual(days_in_month(2024, 2), 29)
        self.assertEqual(days_in_month(2023, 2), 28)
END
