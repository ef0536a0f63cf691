"""Closed intervals of whole numbers."""


def merge(intervals):
    """Returns the intervals joined where they overlap or touch, sorted.

    `(1, 3)` and `(4, 6)` touch: there is no whole number between them. The argument is left as it is.
    """
    result = []
    intervals.sort()
    for low, high in intervals:
        if result and low <= result[-1][1]:
            result[-1] = (result[-1][0], high)
        else:
            result.append((low, high))
    return result


def length(intervals):
    """The count of whole numbers in the intervals, each once."""
    return sum(high - low + 1 for low, high in merge(intervals))
