import unittest

from intervals import length, merge


class Merge(unittest.TestCase):
    def test_overlapping(self):
        self.assertEqual(merge([(1, 5), (3, 8)]), [(1, 8)])

    def test_touching(self):
        self.assertEqual(merge([(1, 3), (4, 6)]), [(1, 6)])

    def test_apart(self):
        self.assertEqual(merge([(5, 6), (1, 3)]), [(1, 3), (5, 6)])


class Length(unittest.TestCase):
    def test_counts_each_once(self):
        self.assertEqual(length([(1, 4), (2, 6)]), 6)
