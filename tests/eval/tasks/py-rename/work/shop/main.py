"""The command line: shop load FILE."""

import sys

from shop.settings import load as read_options, reload
from shop.stock import Stock
import shop.settings as s

COMMANDS = {"load": lambda path: s.load(path), "reload": reload}


def main(arguments):
    command, path = arguments
    if command == "check":
        return read_options(path)
    if command not in COMMANDS:
        print(f"unknown command {command}; try load", file=sys.stderr)
        return None
    return COMMANDS[command](path)


def preload(path):
    loader = getattr(s, "load")
    stock = Stock()
    stock.load([("pre", 1)])
    return loader(path), stock
