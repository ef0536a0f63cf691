import unittest

from intervals import length, merge


class Hidden(unittest.TestCase):
    def test_one_inside_another(self):
        self.assertEqual(merge([(1, 10), (2, 3)]), [(1, 10)])
        self.assertEqual(length([(1, 10), (2, 3), (11, 11)]), 11)

    def test_the_argument_is_left(self):
        given = [(5, 6), (1, 3)]
        merge(given)
        self.assertEqual(given, [(5, 6), (1, 3)])
        self.assertEqual(merge(((4, 4), (1, 2))), [(1, 2), (4, 4)])

    def test_nothing(self):
        self.assertEqual(merge([]), [])
