cat > cart.py <<'PY'
"""A cart, in cents."""


def total(items, shipping=0, percent_off=0):
    """The sum of price times count, less a discount in percent, rounded down to whole cents, and shipping."""
    result = 0
    for price, count in items:
        if count < 0:
            raise ValueError("a count is not negative")
        result += price * count
    return result * (100 - percent_off) // 100 + shipping
PY
