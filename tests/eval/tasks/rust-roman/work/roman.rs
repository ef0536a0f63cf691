//! Roman numerals from 1 to 3999.

const SIGNS: [(u16, &str); 7] =
    [(1000, "M"), (500, "D"), (100, "C"), (50, "L"), (10, "X"), (5, "V"), (1, "I")];

/// Writes a number; `None` outside of 1 to 3999.
pub fn to_roman(mut number: u16) -> Option<String> {
    let mut text = String::new();
    for (value, sign) in SIGNS {
        while number >= value {
            number -= value;
            text.push_str(sign);
        }
    }
    Some(text)
}

/// Reads a numeral in its one proper form; `None` for any other text.
pub fn from_roman(text: &str) -> Option<u16> {
    let values: Option<Vec<u16>> = text
        .chars()
        .map(|c| SIGNS.iter().find(|(_, sign)| sign.starts_with(c)).map(|(value, _)| *value))
        .collect();
    let values = values?;
    let mut sum = 0;
    for (at, value) in values.iter().enumerate() {
        if values.get(at + 1).is_some_and(|next| next > value) {
            sum -= value;
        } else {
            sum += value;
        }
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes() {
        for (number, text) in [(1, "I"), (4, "IV"), (9, "IX"), (40, "XL"), (1994, "MCMXCIV"), (3999, "MMMCMXCIX")] {
            assert_eq!(to_roman(number).as_deref(), Some(text));
        }
    }

    #[test]
    fn reads() {
        assert_eq!(from_roman("MCMXCIV"), Some(1994));
    }

    #[test]
    fn refuses() {
        assert_eq!(to_roman(0), None);
        assert_eq!(to_roman(4000), None);
        assert_eq!(from_roman(""), None);
        assert_eq!(from_roman("IIII"), None);
        assert_eq!(from_roman("ABC"), None);
    }
}
