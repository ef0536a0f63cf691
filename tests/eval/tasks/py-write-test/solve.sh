cat > test_duration.py <<'PY'
import unittest

from duration import parse, show


class Parse(unittest.TestCase):
    def test_units(self):
        for text, seconds in (("2d", 172800), ("1h", 3600), ("1m", 60), ("7s", 7), ("90", 90), ("1h30m", 5400), ("1D 2H 3m 4S", 93784), (" 90 s ", 90), ("1 h 5 m", 3900)):
            self.assertEqual(parse(text), seconds, text)

    def test_anything_else(self):
        for text in ("", "  ", "h", "1x", "30m1h", "1h1h", "-5", "1.5h", "5s later", "1 0s", "1h 5"):
            with self.assertRaises(ValueError, msg=text):
                parse(text)


class Show(unittest.TestCase):
    def test_shortest(self):
        for seconds, text in ((0, "0s"), (59, "59s"), (60, "1m"), (5400, "1h30m"), (86400, "1d"), (93784, "1d2h3m4s")):
            self.assertEqual(show(seconds), text)

    def test_negative(self):
        with self.assertRaises(ValueError):
            show(-1)
PY
