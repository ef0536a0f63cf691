"""Times of a day in minutes."""


def parse(text):
    """Returns the minutes since midnight of `H:MM` or `HH:MM`."""
    hours, minutes = text.split(":")
    return int(hours) * 60 + int(minutes)


def show(minutes):
    """The opposite of `parse`, always with two digits."""
    return f"{minutes // 60:02}:{minutes % 60}"
