//! Sums of numbers in a command, as bash computes them: `$((2 * (3 + 4)))`.

/// Computes an arithmetic expansion of plain numbers; `None` for anything else, such as names, bases other than
/// 10 and 16, and results that do not fit.
pub(super) fn value(source: &str) -> Option<i64> {
    let inner = source.strip_prefix("$((")?.strip_suffix("))")?;
    // Before a name these would change its value; bash reads them differently from version to version.
    if inner.contains("++") || inner.contains("--") {
        return None;
    }
    let mut rest = inner.trim_start();
    let value = sum(&mut rest, 0)?;
    rest.is_empty().then_some(value)
}

/// The depth of parentheses and signs that is followed.
const MAX_DEPTH: usize = 16;

fn sum(rest: &mut &str, depth: usize) -> Option<i64> {
    let mut left = product(rest, depth)?;
    loop {
        let combine = match rest.chars().next() {
            Some('+') => i64::checked_add,
            Some('-') => i64::checked_sub,
            _ => return Some(left),
        };
        skip(rest);
        left = combine(left, product(rest, depth)?)?;
    }
}

fn product(rest: &mut &str, depth: usize) -> Option<i64> {
    let mut left = factor(rest, depth)?;
    loop {
        let combine = match rest.chars().next() {
            // A power.
            Some('*') if rest.starts_with("**") => return None,
            Some('*') => i64::checked_mul,
            Some('/') => i64::checked_div,
            Some('%') => i64::checked_rem,
            _ => return Some(left),
        };
        skip(rest);
        left = combine(left, factor(rest, depth)?)?;
    }
}

fn factor(rest: &mut &str, depth: usize) -> Option<i64> {
    if depth > MAX_DEPTH {
        return None;
    }
    match rest.chars().next()? {
        '(' => {
            skip(rest);
            let inner = sum(rest, depth + 1)?;
            let is_closed = rest.starts_with(')');
            skip(rest);
            is_closed.then_some(inner)
        }
        '-' => {
            skip(rest);
            factor(rest, depth + 1)?.checked_neg()
        }
        '+' => {
            skip(rest);
            factor(rest, depth + 1)
        }
        _ => {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let (number, behind) = rest.split_at(end);
            *rest = behind.trim_start();
            let hex = number.strip_prefix("0x").or_else(|| number.strip_prefix("0X"));
            match (hex, number.strip_prefix('0')) {
                (Some(digits), _) => i64::from_str_radix(digits, 16).ok(),
                // An octal number in bash, a decimal one in zsh.
                (None, Some(digits)) if !digits.is_empty() => None,
                (None, _) => number.parse().ok(),
            }
        }
    }
}

/// Skips a character of one byte and the spaces behind it.
fn skip(rest: &mut &str) {
    *rest = rest.get(1..).unwrap_or_default().trim_start();
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn sums_of_numbers_have_the_value_that_bash_computes() {
        for (source, want) in [
            ("$((1+2))", Some(3)),
            ("$(( 2 * (3 + 4) ))", Some(14)),
            ("$((2+3*4-1))", Some(13)),
            ("$((-7/2))", Some(-3)),
            ("$((-7%2))", Some(-1)),
            ("$((5 - -3))", Some(8)),
            ("$((0))", Some(0)),
            ("$((\n1 +\n2))", Some(3)),
            ("$(())", None),
            ("$((1 2))", None),
            ("$((1/0))", None),
            ("$((x))", None),
            ("$(($x+1))", None),
            ("$((0x10 + 0XfF))", Some(271)),
            ("$((010))", None),
            ("$((09))", None),
            ("$((0x))", None),
            ("$((0xg))", None),
            ("$((1a))", None),
            ("$((16#ff))", None),
            ("$((2**3))", None),
            ("$((1<<3))", None),
            ("$((1,2))", None),
            ("$((5--3))", None),
            ("$(((1))", None),
            ("$((9223372036854775807+1))", None),
            ("$((99999999999999999999))", None),
            ("$((é))", None),
            ("$(id)", None),
        ] {
            assert_eq!(value(source), want, "{source}");
        }
        let deep = format!("$(({}1{}))", "(".repeat(1000), ")".repeat(1000));
        assert_eq!(value(&deep), None);
    }
}
