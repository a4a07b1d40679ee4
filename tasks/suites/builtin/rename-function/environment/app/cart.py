from prices import calc, calc_tax


def to_pay(prices, percent):
    """What a customer pays for a cart, tax included."""
    return calc(prices) + calc_tax(calc(prices), percent)
