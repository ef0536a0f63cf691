from checking import only, passed, python, read, require

only("convert.py")
python("cases.py")
namespace = {}
exec(compile(read("convert.py"), "convert.py", "exec"), namespace)
require(abs(namespace["convert"](1, "pt", "ml") - 473.176473) < 1e-9, "a pint is not 473.176473 ml")
require(abs(namespace["convert"](2, "gal", "l") - 7.570823568) < 1e-9, "a gallon is not 3.785411784 l any more")
passed("all cases are as expected")
