import shutil

from checking import TASK, only, passed, python

only("intervals.py")
python("-m", "unittest", "-q", "test_intervals")
shutil.copy(TASK / "hidden_test.py", "hidden_test.py")
# What the description of `merge` says, and the visible tests do not ask.
python("-m", "unittest", "-q", "hidden_test")
passed("the tests pass, and the function does what it says")
