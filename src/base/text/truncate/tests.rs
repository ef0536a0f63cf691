use super::*;

fn numbered(count: usize) -> String {
    (1..=count).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat()
}

fn limits(max_lines: usize, max_bytes: usize) -> Limits {
    Limits { max_lines, max_bytes }
}

/// The expected result: cut by, remaining lines, remaining bytes, first line, last line.
type Want<'a> = (Option<TruncatedBy>, u64, u64, &'a str, &'a str);

fn check(name: &str, got: &Truncated, want: Want) {
    let first = got.text.lines().next().unwrap_or_default();
    let last = got.text.lines().last().unwrap_or_default();
    let record = &got.record;
    let got_row = (record.truncated_by, record.output_lines, record.output_bytes, first, last);
    assert_eq!(got_row, want, "{name}");
    assert_eq!(record.output_bytes, got.text.len() as u64, "{name}");
    assert!(record.output_bytes <= record.max_bytes, "{name}");
}

#[test]
fn head_keeps_whole_lines_from_the_start() {
    use TruncatedBy::{Bytes, Lines};
    let default = Limits::default();
    let kilobyte = format!("{}\n", "k".repeat(1023)).repeat(100);
    let long_first = format!("{}\nshort\n", "x".repeat(60_000));
    let long = "k".repeat(1023);
    let rows: [(&str, &str, Limits, Want); 11] = [
        ("small input unchanged", "a\nb\n", default, (None, 2, 4, "a", "b")),
        (
            "2,500 lines to 2,000",
            &numbered(2500),
            default,
            (Some(Lines), 2000, 18_892, "line 1", "line 2000"),
        ),
        ("100 x 1 KB to 50 KB", &kilobyte, default, (Some(Bytes), 50, 51_199, &long, &long)),
        ("first line over the limit", &long_first, default, (Some(Bytes), 0, 0, "", "")),
        ("empty", "", default, (None, 0, 0, "", "")),
        ("exactly at the line limit", "a\nb\nc\n", limits(3, 100), (None, 3, 6, "a", "c")),
        ("exactly at the byte limit", "aa\nbb", limits(9, 5), (None, 2, 5, "aa", "bb")),
        ("exactly at both", "aa\nbb", limits(2, 5), (None, 2, 5, "aa", "bb")),
        ("one line over", "a\nb\nc\nd", limits(3, 100), (Some(Lines), 3, 5, "a", "c")),
        ("one byte over", "aa\nbbb", limits(9, 5), (Some(Bytes), 1, 2, "aa", "aa")),
        ("a trailing newline is no line", "a\nb\n", limits(2, 100), (None, 2, 4, "a", "b")),
    ];
    for (name, text, limits, want) in rows {
        let got = head(text, limits);
        check(name, &got, want);
        let exceeds = name == "first line over the limit";
        assert_eq!(got.record.first_line_exceeds_limit, exceeds, "{name}");
        if want.0.is_none() {
            assert_eq!(got.text, text, "{name}");
        }
    }
}

#[test]
fn tail_keeps_whole_lines_from_the_end() {
    use TruncatedBy::{Bytes, Lines};
    let default = Limits::default();
    let chinese = format!("before\n{}", "测".repeat(20_000));
    let kept = "测".repeat(17_066);
    let kilobyte = format!("{}\n", "k".repeat(1023)).repeat(100);
    let long = "k".repeat(1023);
    let rows: [(&str, &str, Limits, Want); 7] = [
        ("tail unchanged", "a\nb\n", default, (None, 2, 4, "a", "b")),
        (
            "3,000 lines to the last 2,000",
            &numbered(3000),
            default,
            (Some(Lines), 2000, 19_999, "line 1001", "line 3000"),
        ),
        ("by bytes", &kilobyte, default, (Some(Bytes), 50, 51_199, &long, &long)),
        ("over-long last line", &chinese, default, (Some(Bytes), 1, 51_198, &kept, &kept)),
        ("empty", "", default, (None, 0, 0, "", "")),
        ("exactly at both limits", "aa\nbb", limits(2, 5), (None, 2, 5, "aa", "bb")),
        (
            "150 lines, 100 kept",
            &numbered(150),
            limits(100, 51_200),
            (Some(Lines), 100, 850, "line 51", "line 150"),
        ),
    ];
    for (name, text, limits, want) in rows {
        let got = tail(text, limits);
        check(name, &got, want);
        assert_eq!(got.record.last_line_partial, name == "over-long last line", "{name}");
    }
}

#[test]
fn totals_count_the_whole_text() {
    for (name, text, lines, bytes) in [
        ("empty", "", 0, 0),
        ("no trailing newline", "a\nb", 2, 3),
        ("trailing newline", "a\nb\n", 2, 4),
        ("blank lines count", "a\n\n\n", 3, 4),
        ("characters of several bytes", "测\n", 1, 4),
    ] {
        for got in [head(text, Limits::default()), tail(text, Limits::default())] {
            assert_eq!((got.record.total_lines, got.record.total_bytes), (lines, bytes), "{name}");
        }
    }
}

#[test]
fn a_long_line_is_cut() {
    let cut = format!("{}... [truncated]", "x".repeat(500));
    for (name, text, want) in [
        ("100 characters kept", "x".repeat(100), "x".repeat(100)),
        ("exactly 500 kept", "x".repeat(500), "x".repeat(500)),
        ("800 cut to 500", "x".repeat(800), cut),
        ("characters, not bytes", "测".repeat(500), "测".repeat(500)),
    ] {
        assert_eq!(line(&text, MAX_LINE_CHARS), want, "{name}");
    }
}

#[test]
fn a_long_line_is_cut_around_its_match() {
    let text = format!("{}needle{}", "a".repeat(1000), "b".repeat(1000));
    for (name, part, max, want) in [
        ("near the start: as usual", 0..1, 5, "aaaaa... [truncated]"),
        ("in the middle", 1000..1006, 10, "[truncated] ...aaneedlebb... [truncated]"),
        ("longer than the limit", 1000..1006, 3, "[truncated] ...nee... [truncated]"),
        ("at the end", 2005..2006, 3, "[truncated] ...bb"),
    ] {
        assert_eq!(around(&text, &part, max), want, "{name}");
    }
}

#[test]
fn sizes_read_well() {
    for (bytes, want) in [
        (0, "0B"),
        (1023, "1023B"),
        (1024, "1.0KB"),
        (51_200, "50.0KB"),
        (122_880, "120.0KB"),
        (4_718_592, "4.5MB"),
        (5_368_709_120, "5.0GB"),
    ] {
        assert_eq!(size(bytes), want);
    }
}

#[test]
fn a_guard_cuts_characters_then_lines() {
    let both = |max_chars, max_lines| Guard { max_chars, max_lines, keep: Keep::HeadAndTail };
    let head = |max_chars, max_lines| Guard { max_chars, max_lines, keep: Keep::Head };
    let lines = "1\n2\n3\n4\n5\n6\n";
    let rows = [
        ("exactly at the limit", "测试文", both(3, None), None),
        ("exactly so many lines", lines, both(99, Some(6)), None),
        (
            "characters in the middle",
            "测测测x试试试",
            both(4, None),
            Some("测测\n\n[3 characters removed in the middle; all of it is in /x]\n\n试试"),
        ),
        (
            "characters at the end",
            "abcdef",
            head(4, None),
            Some("abcd\n\n[2 characters removed at the end; all of it is in /x]"),
        ),
        (
            "lines in the middle",
            lines,
            both(99, Some(4)),
            Some("1\n2\n\n[2 lines removed in the middle; all of it is in /x]\n\n5\n6\n"),
        ),
        (
            "lines at the end",
            lines,
            head(99, Some(4)),
            Some("1\n2\n3\n4\n\n[2 lines removed at the end; all of it is in /x]"),
        ),
    ];
    for (name, text, limits, want) in rows {
        assert_eq!(guard(text, limits, "all of it is in /x").as_deref(), want, "{name}");
    }
}

#[test]
fn both_ends_of_a_long_output_are_kept() {
    let limits = Limits { max_lines: 6, max_bytes: 20 };
    let numbers = |last: u32| (1..=last).map(|n| format!("{n}\n")).collect::<Vec<_>>().concat();
    // Name, output; the beginning, the end, the lines between, whether a line is cut within.
    let rows = [
        ("exactly so many lines", numbers(6), None),
        ("exactly so many bytes", "0123456789\n012345678".to_owned(), None),
        ("one line more", numbers(7), Some(("1\n2\n3", "5\n6\n7", (4, 4), false))),
        ("by lines", numbers(30), Some(("1\n2\n3", "28\n29\n30", (4, 27), false))),
        (
            "by bytes",
            "aaaa\nbbbb\ncccc\ndddd\neeee\n".to_owned(),
            Some(("aaaa\nbbbb", "dddd\neeee", (3, 3), false)),
        ),
        ("one line", "0123456789".repeat(3), Some(("0123456789", "0123456789", (1, 1), true))),
        (
            "a long first line",
            format!("{}\nb\n", "a".repeat(30)),
            Some(("aaaaaaaaaa", "b", (1, 1), true)),
        ),
        (
            "a long last line",
            format!("a\n{}", "b".repeat(30)),
            Some(("a", "bbbbbbbbbb", (2, 2), true)),
        ),
        ("characters are whole", "测".repeat(10), Some(("测测测", "测测测", (1, 1), true))),
    ];
    for (name, output, want) in rows {
        let totals = (count_lines(&output), output.len() as u64);
        let got = ends(&output, &output, totals, limits);
        let shown = got.as_ref().map(|got| {
            (got.head.as_str(), got.tail.as_str(), got.hidden_lines, got.is_within_line)
        });
        assert_eq!(shown, want, "{name}");
        if let Some(got) = got {
            let bytes = (got.head.len() + got.tail.len()) as u64;
            assert_eq!(got.hidden_bytes + bytes, totals.1, "{name}");
            assert_eq!(got.record.output_bytes, bytes, "{name}");
        }
    }
}
