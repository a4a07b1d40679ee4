def days_in_month(year, month):
    """How many days a month has, in the Gregorian calendar. Raises ValueError for a month that is not 1 to 12."""
    if month < 1 or month > 12:
        raise ValueError(f"no such month: {month}")
    if month == 2:
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        return 29 if leap else 28
    return 30 if month in (4, 6, 9, 11) else 31
