git checkout -qb discounts
python3 - <<'PY'
from pathlib import Path

path = Path("cart.py")
path.write_text(path.read_text().replace("def total(items):", "def total(items, percent_off=0):").replace('count."""', 'count, less a discount in percent, rounded down to whole cents."""').replace("    return result", "    return result * (100 - percent_off) // 100"))
PY
git commit -qam "Take a discount in percent off the total

A cart with percent_off=10 costs 90 %. The discount is on the whole sum, rounded down once."
git checkout -q main
python3 - <<'PY'
from pathlib import Path

path = Path("cart.py")
text = path.read_text().replace("def total(items):", "def total(items, shipping=0):").replace('count."""', 'count, and shipping."""')
path.write_text(text.replace("        result += price * count\n    return result", '        if count < 0:\n            raise ValueError("a count is not negative")\n        result += price * count\n    return result + shipping'))
PY
git commit -qam "Add shipping, and refuse negative counts

Shipping is added at the very end: no discount that we may ever give applies to it."
git merge discounts >/dev/null || true
