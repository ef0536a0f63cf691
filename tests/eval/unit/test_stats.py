"""The numbers of the tables, against values that were worked out by hand or are known from elsewhere."""

import unittest

from kit import stats


class Wilson(unittest.TestCase):
    def test_known_intervals(self):
        for passes, count, low, high in (
            (0, 0, 0.0, 1.0),
            (0, 10, 0.0, 0.2775),
            (10, 10, 0.7225, 1.0),
            (5, 10, 0.2366, 0.7634),
            (1, 1, 0.2065, 1.0),
            (30, 40, 0.5981, 0.8581),
        ):
            with self.subTest(passes=passes, count=count):
                got = stats.wilson(passes, count)
                self.assertAlmostEqual(got[0], low, 4)
                self.assertAlmostEqual(got[1], high, 4)

    def test_it_holds_the_rate(self):
        for count in range(1, 30):
            for passes in range(count + 1):
                low, high = stats.wilson(passes, count)
                self.assertTrue(0 <= low <= passes / count <= high <= 1)


class SignTest(unittest.TestCase):
    def test_exact_values(self):
        for up, down, p in ((0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (6, 0, 0.03125), (0, 6, 0.03125), (8, 2, 0.109375), (3, 3, 1.0), (9, 1, 0.021484375)):
            with self.subTest(up=up, down=down):
                self.assertEqual(stats.sign_test(up, down), p)


class Bootstrap(unittest.TestCase):
    def test_no_pairs(self):
        self.assertEqual(stats.bootstrap([]), (0.0, 0.0, 0.0))

    def test_pairs_that_are_all_the_same_have_no_width(self):
        self.assertEqual(stats.bootstrap([0.5] * 7), (0.5, 0.5, 0.5))

    def test_it_is_the_same_each_time(self):
        values = [1, 0, 0, 1, -1, 0, 1, 1, 0, 0]
        self.assertEqual(stats.bootstrap(values), stats.bootstrap(values))

    def test_its_width_is_that_of_the_mean(self):
        # Of 100 values of 0 and 1 in equal parts the mean has a standard error of 0.05.
        mean, low, high = stats.bootstrap([0, 1] * 50)
        self.assertEqual(mean, 0.5)
        self.assertAlmostEqual(low, 0.5 - 1.96 * 0.05, delta=0.012)
        self.assertAlmostEqual(high, 0.5 + 1.96 * 0.05, delta=0.012)
