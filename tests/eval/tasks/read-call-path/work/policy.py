import limits


class Policy:
    max_bytes = limits.SMALL

    def check(self, path, content):
        return self.accepts(path, len(content))

    def accepts(self, path, size):
        """Whether a file is accepted."""
        return size <= self.max_bytes and not path.endswith(".exe")


class Strict(Policy):
    max_bytes = limits.TINY


class Local(Policy):
    max_bytes = limits.LARGE

    def accepts(self, path, size):
        return local_rule(size, self.max_bytes // 2)


def local_rule(size, limit):
    return 0 < size < limit


def current():
    return Local() if limits.MODE == "local" else Strict()
