python3 - <<'PY'
from pathlib import Path

path = Path("query.js")
text = path.read_text()
text = text.replace('''    const [name, value] = part.split("=");
    result[decodeURIComponent(name)] = decodeURIComponent(value);
''', '''    const at = part.indexOf("=");
    const name = decodeURIComponent(at < 0 ? part : part.slice(0, at));
    const value = decodeURIComponent(at < 0 ? "" : part.slice(at + 1));
    result[name] = Object.hasOwn(result, name) ? [].concat(result[name], value) : value;
''')
path.write_text(text)
PY
