import unittest

from bucket import Bucket


class Allow(unittest.TestCase):
    def test_burst(self):
        bucket = Bucket(size=2, rate=1)
        self.assertEqual([bucket.allow(0), bucket.allow(0), bucket.allow(0)], [True, True, False])

    def test_leak(self):
        bucket = Bucket(size=1, rate=0.5)
        self.assertEqual([bucket.allow(0), bucket.allow(1), bucket.allow(2)], [True, False, True])

    def test_idle(self):
        bucket = Bucket(size=2, rate=1)
        bucket.allow(0)
        self.assertEqual([bucket.allow(100) for _ in range(3)], [True, True, False])
