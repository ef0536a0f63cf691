import sys

from handlers import HANDLERS


def main(arguments):
    name, *rest = arguments
    return HANDLERS[name.replace("-", "_")](*rest)


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
