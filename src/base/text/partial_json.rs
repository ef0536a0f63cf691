//! Extracts text fields from JSON while it is being written.
//!
//! This is not a parser: it finds string values with their positions, so that a file can be shown while a model writes it. Each character
//! is read once, however the text is divided into chunks. Invalid JSON ends the extraction silently; the parser of the complete text
//! reports the error.

/// The maximum depth of a string that is reported.
const MAX_DEPTH: usize = 32;

/// An addition to one text field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Growth {
    /// The JSON Pointer of the field: `/edits/0/newText`.
    pub path: String,
    /// The appended text, unescaped.
    pub text: String,
    /// The field is whole.
    pub is_complete: bool,
}

/// Reads a JSON text piece by piece.
#[derive(Debug, Default)]
pub struct PartialJson {
    stack: Vec<Level>,
    mode: Mode,
    escape: Escape,
    /// The first half of a character that was written as two escapes.
    high: Option<u32>,
    /// The pending part of the key or value that is being read.
    text: String,
}

#[derive(Debug)]
enum Level {
    Object(String),
    Array(usize),
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// A value is due.
    #[default]
    Value,
    /// Expects a key or a closing brace.
    Key,
    InKey,
    Colon,
    InString,
    /// Inside a number or a word.
    Plain,
    /// A comma or an end is due.
    After,
    /// Nothing more is read.
    Ended,
}

#[derive(Debug, Default, Clone, Copy)]
enum Escape {
    #[default]
    None,
    Backslash,
    /// The digits so far, and how many.
    Code(u32, u32),
}

impl PartialJson {
    /// Consumes the next chunk and returns its additions to text fields, in order.
    ///
    /// # Example
    ///
    /// ```
    /// use pintle_base::text::partial_json::PartialJson;
    ///
    /// let mut arguments = PartialJson::default();
    /// let grown = arguments.push(r#"{"path": "a.txt", "content": "Hel"#);
    /// assert_eq!((grown[1].path.as_str(), grown[1].text.as_str()), ("/content", "Hel"));
    /// assert!(!grown[1].is_complete);
    ///
    /// let grown = arguments.push(r#"lo\n"}"#);
    /// assert_eq!((grown[0].text.as_str(), grown[0].is_complete), ("lo\n", true));
    /// ```
    pub fn push(&mut self, piece: &str) -> Vec<Growth> {
        let mut grown = Vec::new();
        for c in piece.chars() {
            self.take(c, &mut grown);
        }
        if self.mode == Mode::InString && !self.text.is_empty() {
            self.hand_out(false, &mut grown);
        }
        grown
    }

    fn take(&mut self, c: char, grown: &mut Vec<Growth>) {
        match self.mode {
            Mode::InKey | Mode::InString => {
                if self.take_in_string(c) {
                    if self.mode == Mode::InString {
                        self.hand_out(true, grown);
                        self.mode = Mode::After;
                    } else if let Some(Level::Object(key)) = self.stack.last_mut() {
                        *key = std::mem::take(&mut self.text);
                        self.mode = Mode::Colon;
                    }
                }
            }
            Mode::Plain if matches!(c, ',' | '}' | ']') || c.is_ascii_whitespace() => {
                self.mode = Mode::After;
                self.take(c, grown);
            }
            Mode::Plain | Mode::Ended => {}
            _ if c.is_ascii_whitespace() => {}
            Mode::Value => match c {
                '"' => self.begin(Mode::InString),
                '{' => {
                    self.stack.push(Level::Object(String::new()));
                    self.mode = Mode::Key;
                }
                '[' => self.stack.push(Level::Array(0)),
                ']' => self.end_level(),
                '-' | '0'..='9' | 'a'..='z' => self.mode = Mode::Plain,
                _ => self.mode = Mode::Ended,
            },
            Mode::Key => match c {
                '"' => self.begin(Mode::InKey),
                '}' => self.end_level(),
                _ => self.mode = Mode::Ended,
            },
            Mode::Colon => self.mode = if c == ':' { Mode::Value } else { Mode::Ended },
            Mode::After => match (c, self.stack.last_mut()) {
                (',', Some(Level::Object(_))) => self.mode = Mode::Key,
                (',', Some(Level::Array(index))) => {
                    *index += 1;
                    self.mode = Mode::Value;
                }
                ('}', Some(Level::Object(_))) | (']', Some(Level::Array(_))) => self.end_level(),
                _ => self.mode = Mode::Ended,
            },
        }
    }

    fn begin(&mut self, mode: Mode) {
        self.mode = mode;
        self.text.clear();
        self.high = None;
    }

    fn end_level(&mut self) {
        self.mode = match self.stack.pop() {
            Some(_) if !self.stack.is_empty() => Mode::After,
            Some(_) | None => Mode::Ended,
        };
    }

    /// Takes a character of a string; true at its end.
    fn take_in_string(&mut self, c: char) -> bool {
        match self.escape {
            Escape::None => match c {
                '\\' => self.escape = Escape::Backslash,
                '"' => {
                    self.lone_half();
                    return true;
                }
                c => self.put(c),
            },
            Escape::Backslash => {
                self.escape = Escape::None;
                match c {
                    'n' => self.put('\n'),
                    't' => self.put('\t'),
                    'r' => self.put('\r'),
                    'b' => self.put('\u{8}'),
                    'f' => self.put('\u{c}'),
                    'u' => self.escape = Escape::Code(0, 0),
                    c => self.put(c),
                }
            }
            Escape::Code(code, digits) => match c.to_digit(16) {
                Some(digit) if digits < 3 => {
                    self.escape = Escape::Code(code * 16 + digit, digits + 1);
                }
                Some(digit) => {
                    self.escape = Escape::None;
                    self.put_code(code * 16 + digit);
                }
                None => self.mode = Mode::Ended,
            },
        }
        false
    }

    fn put(&mut self, c: char) {
        self.lone_half();
        self.text.push(c);
    }

    fn put_code(&mut self, code: u32) {
        match (self.high.take(), code) {
            (Some(high), 0xDC00..=0xDFFF) => {
                let whole = 0x1_0000 + ((high - 0xD800) << 10) + (code - 0xDC00);
                self.text.push(char::from_u32(whole).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (high, code) => {
                if high.is_some() {
                    self.text.push(char::REPLACEMENT_CHARACTER);
                }
                match code {
                    0xD800..=0xDBFF => self.high = Some(code),
                    code => {
                        self.text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                }
            }
        }
    }

    /// Half a character that has no other half.
    fn lone_half(&mut self) {
        if self.high.take().is_some() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
    }

    fn hand_out(&mut self, is_complete: bool, grown: &mut Vec<Growth>) {
        let text = std::mem::take(&mut self.text);
        if self.stack.len() > MAX_DEPTH {
            return;
        }
        let mut path = String::new();
        for level in &self.stack {
            path.push('/');
            match level {
                Level::Object(key) => path.push_str(&key.replace('~', "~0").replace('/', "~1")),
                Level::Array(index) => path.push_str(&index.to_string()),
            }
        }
        grown.push(Growth { path, text, is_complete });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Returns the whole text of each field, in the order in which they ended.
    fn fields(pieces: &[&str]) -> Vec<(String, String)> {
        let mut json = PartialJson::default();
        let mut open = String::new();
        let mut fields = Vec::new();
        for growth in pieces.iter().flat_map(|piece| json.push(piece)) {
            open.push_str(&growth.text);
            if growth.is_complete {
                fields.push((growth.path, std::mem::take(&mut open)));
            }
        }
        fields
    }

    fn strings(path: &str, value: &Value, out: &mut Vec<(String, String)>) {
        match value {
            Value::String(text) => out.push((path.to_owned(), text.clone())),
            Value::Array(all) => {
                for (at, one) in all.iter().enumerate() {
                    strings(&format!("{path}/{at}"), one, out);
                }
            }
            Value::Object(all) => {
                for (key, one) in all {
                    let key = key.replace('~', "~0").replace('/', "~1");
                    strings(&format!("{path}/{key}"), one, out);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    #[test]
    fn fields_are_those_of_a_parser_however_the_text_is_cut() {
        for text in [
            r#"{"path":"a.rs","content":"fn main() {\n\t\"hi\"\n}"}"#,
            r#"{"edits":[{"old":"a","new":"ä 😀"},{"old":"","new":"b"}],"n":-1.5e3,"all":true,"x":null}"#,
            r#" { "a/b~c" : [ [ ] , { } , "x" , [ 1 , "y" ] ] , "u" : "\ud83d\ude00\u00e4\/\\" } "#,
            r#""alone""#,
            r#"{"":""}"#,
            "[]",
            "12",
        ] {
            let mut want = Vec::new();
            strings("", &serde_json::from_str(text).unwrap(), &mut want);
            assert_eq!(fields(&[text]), want, "{text}");
            for (at, _) in text.char_indices() {
                let (first, second) = text.split_at(at);
                assert_eq!(fields(&[first, second]), want, "{text} cut at {at}");
            }
        }
    }

    #[test]
    fn a_field_is_shown_as_it_grows() {
        let mut json = PartialJson::default();
        let growth = |text: &str, is_complete| {
            vec![Growth { path: "/content".to_owned(), text: text.to_owned(), is_complete }]
        };
        assert_eq!(json.push("{\"content\": \"a"), growth("a", false));
        assert_eq!(json.push("b\\"), growth("b", false));
        assert_eq!(json.push("n\\ud8"), growth("\n", false));
        assert_eq!(json.push("3d\\ude0"), vec![]);
        assert_eq!(json.push("0"), growth("😀", false));
        assert_eq!(json.push("\"}"), growth("", true));
    }

    #[test]
    fn broken_text_ends_quietly() {
        for text in [
            "",
            "x",
            "{]",
            "{\"a\" 1}",
            "[1}",
            "{\"a\":\"\\uzz\"}",
            "\"\\ud83d\"",
            "}",
            "]",
            "{\"a\":,",
            "\"a\" \"b\"",
        ] {
            for piece in [text, &text.repeat(3)] {
                fields(&[piece, "\"", "}", ","]);
            }
        }
        assert_eq!(fields(&["\"\\ud83dx\""]), [(String::new(), "\u{fffd}x".to_owned())]);
        assert!(fields(&["[".repeat(100_000).as_str(), "\"deep\""]).is_empty());
    }
}
