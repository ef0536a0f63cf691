import unittest

from clock import parse, show


class Clock(unittest.TestCase):
    def test_show(self):
        self.assertEqual(show(parse("9:05")), "09:05")

    def test_parse(self):
        self.assertEqual(parse("10:30"), 630)
