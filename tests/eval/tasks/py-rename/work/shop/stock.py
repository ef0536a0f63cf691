"""The stock."""

from shop import settings


class Stock:
    def __init__(self):
        self.items = {}

    def load(self, pairs):
        """Adds items; not to be confused with settings.load."""
        for name, count in pairs:
            self.items[name] = self.items.get(name, 0) + count


def open_stock(path, pairs):
    options = settings.load(path)
    stock = Stock()
    if options["load"] != "never":
        stock.load(pairs)
    return stock
