"""Lines of bills."""

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


def invoice_lines(items, rate):
    """The lines of an invoice: name, net, tax; the last line has the sums."""
    lines = []
    net_sum = Decimal(0)
    tax_sum = Decimal(0)
    for name, price, count in items:
        net = (Decimal(price) * count).quantize(CENT, ROUND_HALF_UP)
        tax = (net * Decimal(rate) / 100).quantize(CENT, ROUND_HALF_UP)
        net_sum += net
        tax_sum += tax
        lines.append(f"{name:<20}{net:>10}{tax:>10}")
    lines.append(f"{'Sum':<20}{net_sum:>10}{tax_sum:>10}")
    return lines


def receipt_lines(items, rate):
    """The lines of a receipt: name, net, tax; the last line has the sums. Items that cost nothing are left out."""
    lines = []
    net_sum = Decimal(0)
    tax_sum = Decimal(0)
    for name, price, count in items:
        net = (Decimal(price) * count).quantize(CENT, ROUND_HALF_EVEN)
        if not net:
            continue
        tax = (net * Decimal(rate) / 100).quantize(CENT, ROUND_HALF_UP)
        net_sum += net
        tax_sum += tax
        lines.append(f"{name:<20}{net:>10}{tax:>10}")
    lines.append(f"{'Total':<20}{net_sum:>10}{tax_sum:>10}")
    return lines
