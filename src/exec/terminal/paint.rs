//! A screen as styled text. Pure.
//!
//! Control sequences other than colors and styles are dropped, so a program cannot set the title or clipboard where the screen is shown.

use avt::{Cell, Color, Line, Pen, Terminal};
use std::fmt::Write as _;

/// A terminal's screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Painting {
    /// All rows, from the top. A row ends at its last visible cell, without a style.
    pub rows: Vec<String>,
    /// The cursor's row and column, from 0; `None` if it is hidden.
    pub cursor: Option<(usize, usize)>,
}

pub(super) fn painting(terminal: &Terminal) -> Painting {
    Painting {
        rows: terminal.screen().visible_lines().map(row).collect(),
        cursor: terminal.cursor().position().map(|(column, row)| (row, column)),
    }
}

fn row(line: &Line) -> String {
    let mut text = String::new();
    let cells = line.cells();
    let is_blank = |cell: &Cell| cell.char() == ' ' && cell.pen().is_default();
    let end = cells.iter().rposition(|cell| !is_blank(cell)).map_or(0, |last| last + 1);
    let mut pen = Pen::default();
    for cell in cells.iter().take(end).filter(|cell| cell.width() > 0) {
        if *cell.pen() != pen {
            pen = *cell.pen();
            push_style(&mut text, &pen);
        }
        text.push(cell.char());
    }
    if !pen.is_default() {
        text.push_str("\u{1b}[0m");
    }
    text
}

fn push_style(text: &mut String, pen: &Pen) {
    text.push_str("\u{1b}[0");
    for (is_set, code) in [
        (pen.is_bold(), 1),
        (pen.is_faint(), 2),
        (pen.is_italic(), 3),
        (pen.is_underline(), 4),
        (pen.is_blink(), 5),
        (pen.is_inverse(), 7),
        (pen.is_strikethrough(), 9),
    ] {
        if is_set {
            let _ = write!(text, ";{code}");
        }
    }
    for (color, base) in [(pen.foreground(), 38), (pen.background(), 48)] {
        let _ = match color {
            Some(Color::Indexed(index)) => write!(text, ";{base};5;{index}"),
            Some(Color::RGB(rgb)) => write!(text, ";{base};2;{};{};{}", rgb.r, rgb.g, rgb.b),
            None => Ok(()),
        };
    }
    text.push('m');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(output: &str) -> Painting {
        let mut terminal = Terminal::new(20, 3).unwrap();
        terminal.feed(output);
        painting(&terminal)
    }

    #[test]
    fn rows_keep_their_styles_and_nothing_else_is_passed_on() {
        for (name, output, row, cursor) in [
            ("nothing", "", "", Some((0, 0))),
            ("text", "ab ", "ab", Some((0, 3))),
            ("a color", "a\u{1b}[31mb\u{1b}[0mc", "a␛[0;38;5;1mb␛[0mc", Some((0, 3))),
            (
                "styles to the end",
                "\u{1b}[1;4;7;38;2;1;2;3;48;5;200mx",
                "␛[0;1;4;7;38;2;1;2;3;48;5;200mx␛[0m",
                Some((0, 1)),
            ),
            ("a colored blank", "\u{1b}[44m \u{1b}[0m", "␛[0;48;5;4m ␛[0m", Some((0, 1))),
            ("wide characters", "漢字", "漢字", Some((0, 4))),
            ("a hidden cursor", "\u{1b}[?25l", "", None),
            (
                "a title, a clipboard, a query, another screen",
                "\u{1b}]0;t\u{7}\u{1b}]52;c;YQ==\u{7}\u{1b}[6n\u{1b}[?1049hx",
                "x",
                Some((0, 1)),
            ),
            ("several rows", "a\r\n b", "a\n b", Some((1, 2))),
        ] {
            let Painting { rows, cursor: got } = shown(output);
            assert_eq!(rows.len(), 3, "{name}");
            let text = rows.join("\n").replace('\u{1b}', "␛");
            assert_eq!((text.trim_end_matches('\n'), got), (row, cursor), "{name}");
        }
    }

    #[test]
    fn painted_rows_look_the_same_in_another_terminal() {
        let output = "one\r\n\u{1b}[31;1mtwo 漢\u{1b}[0m\r\n\u{1b}[42m three \u{1b}[0m";
        let mut terminal = Terminal::new(20, 3).unwrap();
        terminal.feed(output);
        let mut other = Terminal::new(20, 3).unwrap();
        other.feed(painting(&terminal).rows.join("\r\n").as_str());
        for (row, line) in terminal.screen().visible_lines().enumerate() {
            assert_eq!(other.screen().line(row).unwrap().cells(), line.cells(), "{row}");
        }
    }
}
