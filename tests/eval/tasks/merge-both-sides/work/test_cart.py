import unittest

import cart


class Total(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(cart.total([(100, 2), (50, 1)]), 250)


if __name__ == "__main__":
    unittest.main()
