"""Settings of the shop."""

import json

DEFAULTS = {"load": "lazy", "currency": "EUR"}


def load(path):
    """Reads settings from a file; `load` does not check them."""
    with open(path, encoding="utf-8") as file:
        return {**DEFAULTS, **json.load(file)}


def reload(path):
    return load(path)
