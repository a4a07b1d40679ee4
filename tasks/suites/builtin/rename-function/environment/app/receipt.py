import prices


def receipt(amounts):
    """One line that ends a receipt."""
    return f"calc: {prices.calc(amounts)} cents"
