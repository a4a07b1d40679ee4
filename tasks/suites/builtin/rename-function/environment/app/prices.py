def calc(prices):
    """The sum of some prices, in cents."""
    return sum(prices)


def calc_tax(cents, percent):
    """The tax on an amount, rounded down to whole cents."""
    return cents * percent // 100
