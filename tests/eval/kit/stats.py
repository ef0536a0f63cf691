"""The few statistics of the tables, exact or with a fixed seed, so that the same results print the same numbers."""

import math
import random

# The quantile of the normal distribution for 95 %.
Z = 1.959963984540054

RESAMPLES = 10_000
SEED = 20260101


def wilson(passes, count):
    """The Wilson interval of a rate, 95 %; all of 0 to 1 where nothing was counted."""
    if count == 0:
        return 0.0, 1.0
    rate = passes / count
    center = (rate + Z * Z / (2 * count)) / (1 + Z * Z / count)
    half = Z / (1 + Z * Z / count) * math.sqrt(rate * (1 - rate) / count + Z * Z / (4 * count * count))
    # At the ends the interval reaches the end; rounding must not move it.
    return (0.0 if passes == 0 else max(0.0, center - half)), (1.0 if passes == count else min(1.0, center + half))


def sign_test(up, down):
    """The two-sided exact probability of a split at least as uneven as this, were both directions as likely: McNemar's exact test."""
    count = up + down
    if count == 0:
        return 1.0
    tail = sum(math.comb(count, k) for k in range(min(up, down) + 1))
    return min(1.0, 2 * tail / 2**count)


def bootstrap(differences):
    """The mean of paired differences, and its 95 % interval by resampling the pairs; without pairs all zeros."""
    if not differences:
        return 0.0, 0.0, 0.0
    generator = random.Random(SEED)
    count = len(differences)
    means = sorted(sum(generator.choices(differences, k=count)) / count for _ in range(RESAMPLES))
    return sum(differences) / count, means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]
