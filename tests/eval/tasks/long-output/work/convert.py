"""Converts between units. Each unit has its factor to the base unit of its quantity."""

FACTORS = {
    "m": 1.0, "km": 1000.0, "cm": 0.01, "mm": 0.001, "mi": 1609.344, "yd": 0.9144, "ft": 0.3048, "in": 0.0254,
    "g": 1.0, "kg": 1000.0, "mg": 0.001, "lb": 453.59237, "oz": 28.349523125, "t": 1000000.0,
    "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "wk": 604800.0,
    "l": 1.0, "ml": 0.001, "gal": 3.785411784, "qt": 0.946352946, "pt": 0.437176473, "cup": 0.2365882365,
}


def convert(value, source, target):
    return value * FACTORS[source] / FACTORS[target]
