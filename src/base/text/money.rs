//! Formats amounts in US dollars. Pure.

/// Formats billionths of a US dollar; a small amount with more digits.
pub fn usd(nano: u64) -> String {
    let (whole, rest) = (nano / 1_000_000_000, nano % 1_000_000_000);
    if whole == 0 && rest < 100_000_000 {
        format!("$0.{:05}", rest / 10_000)
    } else {
        format!("${whole}.{:02}", rest / 10_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_amount_has_more_digits() {
        for (nano, want) in [
            (0, "$0.00000"),
            (2_300_000, "$0.00230"),
            (99_999_999, "$0.09999"),
            (100_000_000, "$0.10"),
            (12_345_678_901, "$12.34"),
        ] {
            assert_eq!(usd(nano), want);
        }
    }
}
