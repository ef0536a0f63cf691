# Tests that pass, and find little.
cat > test_duration.py <<'PY'
import unittest

from duration import parse, show


class Duration(unittest.TestCase):
    def test_parse(self):
        self.assertEqual(parse("1h30m"), 5400)

    def test_round_trip(self):
        for seconds in (0, 1, 60, 3661):
            self.assertEqual(parse(show(seconds)), seconds)
PY
