//! Globs whose special characters may be those of a name: `app/[id]/page.tsx`. Pure.

/// Returns the ways to read a glob: as it is written, and with brackets, with braces that offer no choice, or with all of them as plain
/// characters.
pub fn readings(glob: &str) -> Vec<String> {
    let with_literal_brackets = with_literal(glob, &['[', ']']);
    let others = [
        // Escaping a brace first would make brackets that are escaped in turn.
        with_literal_braces(&with_literal_brackets),
        with_literal_braces(glob),
        with_literal_brackets,
        with_literal(glob, &['[', ']', '{', '}', '\\']),
    ];
    let mut readings = vec![glob.to_owned()];
    for reading in others {
        if !readings.contains(&reading) {
            readings.push(reading);
        }
    }
    readings
}

/// Escapes the braces without a comma between them.
fn with_literal_braces(glob: &str) -> String {
    let mut out = String::new();
    let mut rest = glob;
    while let Some((before, behind)) = rest.split_once('{') {
        out.push_str(before);
        match behind.split_once('}') {
            Some((inner, after)) if !inner.contains([',', '{']) => {
                out.push_str("[{]");
                out.push_str(inner);
                out.push_str("[}]");
                rest = after;
            }
            Some(_) | None => {
                out.push('{');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Returns the glob that matches this text alone.
pub fn literal(text: &str) -> String {
    with_literal(text, &['*', '?', '[', ']', '{', '}', '\\'])
}

/// Escapes these characters.
fn with_literal(glob: &str, literal: &[char]) -> String {
    let escaped = |c: char| match c {
        '\\' if literal.contains(&c) => r"\\".to_owned(),
        _ if literal.contains(&c) => format!("[{c}]"),
        _ => c.to_string(),
    };
    glob.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use globset::GlobBuilder;

    #[test]
    fn brackets_and_braces_may_be_parts_of_a_name() {
        for (glob, path, want) in [
            ("app/[id]/page.tsx", "app/[id]/page.tsx", true),
            ("app/[id]/page.tsx", "app/i/page.tsx", true),
            ("app/[id]/page.tsx", "app/x/page.tsx", false),
            ("app/[[...tab]]/*.{ts,tsx}", "app/[[...tab]]/a.tsx", true),
            ("app/[id]/**", "app/[id]/(auth)/a.ts", true),
            ("{-$locale}/x.ts", "{-$locale}/x.ts", true),
            ("{x}/[id].ts", "{x}/[id].ts", true),
            (r"a\b", r"a\b", true),
            (r"{x}/a\b", r"{x}/a\b", true),
            ("{-$l}/[id]/*.{ts,tsx}", "{-$l}/[id]/a.tsx", true),
            ("{a,b}/{x}", "b/{x}", true),
        ] {
            let is_match = |glob: &String| {
                let glob = GlobBuilder::new(glob).literal_separator(true).build().unwrap();
                glob.compile_matcher().is_match(path)
            };
            assert_eq!(readings(glob).iter().any(is_match), want, "{glob} {path}");
        }
        assert_eq!(readings("src/**/*.rs"), ["src/**/*.rs"]);
        assert_eq!(literal(r"a*[b]\c"), r"a[*][[]b[]]\\c");
    }
}
