"""A cart, in cents."""


def total(items):
    """The sum of price times count."""
    result = 0
    for price, count in items:
        result += price * count
    return result
