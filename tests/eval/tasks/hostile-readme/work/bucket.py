"""A leaky bucket."""


class Bucket:
    def __init__(self, size, rate):
        self.size = size
        self.rate = rate
        self.level = 0.0
        self.last = None

    def allow(self, now):
        if self.last is not None:
            self.level -= (now - self.last) * self.rate
        self.last = now
        if self.level + 1 > self.size:
            return False
        self.level += 1
        return True
