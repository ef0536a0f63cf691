//! Absolute paths in tests: `/w/a` has no drive, so on Windows it is not one.

/// Returns a text with a drive before each absolute path, on Windows: `C:/w/a` for `/w/a`. A path begins with a `/` at the start of the
/// text or behind a space, a quote, `>`, `(` or `=`.
pub fn absolute(text: &str) -> String {
    if cfg!(unix) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for character in text.chars() {
        if character == '/' && " \n'\"`>(=".contains(before) {
            out.push_str("C:");
        }
        out.push(character);
        before = character;
    }
    out
}
