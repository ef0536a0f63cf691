#[path = "roman.rs"]
#[allow(dead_code)]
mod roman;

fn main() {
    for number in 1..4000 {
        let text = roman::to_roman(number).expect("a numeral");
        assert!(!text.contains("IIII") && !text.contains("VIV") && !text.contains("DCD"), "{text}");
        assert_eq!(roman::from_roman(&text), Some(number), "{text}");
    }
    let wrong = ["IC", "VX", "IIX", "MMMM", "VV", "iv", "I V", "XIIV", "MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM"];
    for text in wrong {
        assert_eq!(roman::from_roman(text), None, "{text}");
    }
}
