//! Reading a patch.

use super::{FilePatch, Hunk, Line, Malformed};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

/// Parses a patch. An enclosing heredoc is removed; trailing white space after a marker and a missing final newline are accepted.
///
/// # Errors
/// The first malformed line.
pub fn parse(text: &str) -> Result<Vec<FilePatch>, Malformed> {
    let mut reader = Reader { lines: text.lines().collect(), at: 0 };
    reader.open()?;
    let mut files = Vec::new();
    loop {
        let Some(mark) = reader.mark() else {
            return Err(reader.wrong(format!("the patch must end with `{END}`")));
        };
        if mark == END {
            break;
        }
        let section = [ADD, DELETE, UPDATE].into_iter().find_map(|section| {
            let path = mark.strip_prefix(section)?;
            Some((section, path.trim()))
        });
        match section {
            Some((_, "")) => {
                return Err(reader.wrong(format!("a path must follow `{mark}`")));
            }
            Some((section, path)) => {
                reader.at += 1;
                let path = path.to_owned();
                files.push(match section {
                    ADD => reader.add(path),
                    UPDATE => reader.update(path)?,
                    _ => FilePatch::Delete { path },
                });
            }
            None if mark.is_empty() => reader.at += 1,
            None => {
                return Err(reader.wrong(format!(
                    "expected `{ADD} PATH`, `{DELETE} PATH`, `{UPDATE} PATH` or `{END}`, not `{mark}`"
                )));
            }
        }
    }
    if files.is_empty() {
        return Err(
            reader.wrong("the patch contains no file, so nothing would be changed".to_owned())
        );
    }
    Ok(files)
}

struct Reader<'a> {
    lines: Vec<&'a str>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).copied()
    }

    /// The next line without trailing white space.
    fn mark(&self) -> Option<&'a str> {
        self.peek().map(str::trim_end)
    }

    fn wrong(&self, message: String) -> Malformed {
        Malformed { line: self.at + 1, message }
    }

    /// Moves to the line after the beginning, skipping a shell command around the patch.
    fn open(&mut self) -> Result<(), Malformed> {
        let is_blank = |line: &&str| line.trim().is_empty();
        let lead = self.lines.iter().take_while(|line| is_blank(line)).count();
        let heredoc = self.lines.get(lead).is_some_and(|line| line.contains("<<"));
        let fence = self.lines.get(lead).is_some_and(|line| line.trim_start().starts_with("```"));
        self.at = lead + usize::from(heredoc || fence);
        match self.mark() {
            Some(BEGIN) => {
                self.at += 1;
                Ok(())
            }
            _ => Err(self.wrong(format!("the patch must begin with `{BEGIN}`"))),
        }
    }

    fn add(&mut self, path: String) -> FilePatch {
        let mut content = String::new();
        while let Some(line) = self.peek().and_then(|line| line.strip_prefix('+')) {
            content.push_str(line);
            content.push('\n');
            self.at += 1;
        }
        FilePatch::Add { path, content }
    }

    fn update(&mut self, path: String) -> Result<FilePatch, Malformed> {
        let begins_at = self.at;
        let move_to = self.mark().and_then(|mark| mark.strip_prefix(MOVE)).map(str::trim);
        if move_to.is_some() {
            self.at += 1;
        }
        if move_to == Some("") {
            self.at -= 1;
            return Err(self.wrong(format!("a path must follow `{MOVE}`")));
        }
        let mut hunks = Vec::new();
        while self.peek().is_some_and(|line| !is_section(line)) {
            if self.mark() == Some("") && self.is_last_blank() {
                self.at += 1;
                continue;
            }
            hunks.push(self.hunk(hunks.is_empty())?);
        }
        if hunks.is_empty() && move_to.is_none() {
            self.at = begins_at;
            return Err(self.wrong(format!(
                "the update of {path} is empty: it needs a hunk, `@@` and lines that begin with \
                 a space, - or +"
            )));
        }
        Ok(FilePatch::Update { path, move_to: move_to.map(str::to_owned), hunks })
    }

    /// Returns true if only blank lines precede the next section; they are ignored.
    fn is_last_blank(&self) -> bool {
        let rest = self.lines.get(self.at..).unwrap_or_default();
        rest.iter().find(|line| !line.trim().is_empty()).is_none_or(|line| is_section(line))
    }

    fn hunk(&mut self, is_first: bool) -> Result<Hunk, Malformed> {
        let mut hunk = Hunk::default();
        while let Some(hint) = self.peek().and_then(|line| line.strip_prefix("@@")) {
            // `@@ -1,2 +1,2 @@` of another format: the numbers are not to be trusted, what follows them is a hint.
            let hint = without_numbers(hint.trim());
            if !hint.is_empty() {
                hunk.hints.push(hint.to_owned());
            }
            self.at += 1;
            // A line left empty by a hint must not be mistaken for context.
            if self.peek().is_none_or(|line| !line.starts_with("@@")) {
                break;
            }
        }
        let has_mark =
            self.at > 0 && self.lines.get(self.at - 1).is_some_and(|line| line.starts_with("@@"));
        if !has_mark && !is_first {
            return Err(self.wrong("a hunk must begin with `@@`".to_owned()));
        }
        while let Some(line) = self.peek() {
            if line.trim_end() == END_OF_FILE {
                hunk.is_at_end = true;
                self.at += 1;
                break;
            }
            if is_section(line) || line.starts_with("@@") {
                break;
            }
            if line.trim().is_empty() && self.is_last_blank() {
                break;
            }
            hunk.lines.push(match line.split_at_checked(1) {
                Some((" ", text)) => Line::Context(text.to_owned()),
                Some(("-", text)) => Line::Remove(text.to_owned()),
                Some(("+", text)) => Line::Add(text.to_owned()),
                // Models omit the space before an empty context line.
                None => Line::Context(String::new()),
                Some(_) => {
                    return Err(self.wrong(format!(
                        "a line of a hunk must begin with a space, - or +, not `{line}`"
                    )));
                }
            });
            self.at += 1;
        }
        if hunk.lines.is_empty() {
            return Err(self.wrong("the hunk has no lines".to_owned()));
        }
        Ok(hunk)
    }
}

fn is_section(line: &str) -> bool {
    let mark = line.trim_end();
    mark == END || [ADD, DELETE, UPDATE].iter().any(|section| mark.starts_with(section))
}

fn without_numbers(hint: &str) -> &str {
    let Some(rest) = hint.strip_prefix('-') else { return hint };
    match rest.split_once("@@") {
        Some((numbers, rest))
            if numbers.bytes().all(|b| b.is_ascii_digit() || b" ,+".contains(&b)) =>
        {
            rest.trim()
        }
        _ => hint,
    }
}
