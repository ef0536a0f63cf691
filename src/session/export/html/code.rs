//! Highlights keywords, strings, numbers and comments in code: pure, one pass over the characters.
//!
//! It covers features common to many languages, not their grammar: a wrong guess colors a word, but never changes it. A highlighter with
//! grammars (syntect) would add 2.6 MB to the program and 25 ms to the first block, and runs regular expressions that a hostile text can
//! make slow.

use super::text::push;

/// The lexical properties of a language.
struct Language {
    /// Fence names and file extensions.
    names: &'static [&'static str],
    /// The markers that start a line comment.
    line: &'static [&'static str],
    /// The start and the end of block comments.
    block: Option<(&'static str, &'static str)>,
    /// The quotes around strings.
    quotes: &'static str,
    /// The keywords, separated by spaces.
    words: &'static str,
}

const C_BLOCK: Option<(&str, &str)> = Some(("/*", "*/"));

const LANGUAGES: &[Language] = &[
    Language {
        names: &["rust", "rs"],
        line: &["//"],
        block: C_BLOCK,
        quotes: "\"",
        words: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while",
    },
    Language {
        names: &["python", "py", "pyi"],
        line: &["#"],
        block: None,
        quotes: "\"'",
        words: "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return True try while with yield",
    },
    Language {
        names: &["javascript", "js", "jsx", "mjs", "cjs", "typescript", "ts", "tsx"],
        line: &["//"],
        block: C_BLOCK,
        quotes: "\"'`",
        words: "abstract any as async await boolean break case catch class const continue declare default delete do else enum export extends false finally for from function get if implements import in instanceof interface keyof let namespace never new null number of private protected public readonly return set static string super switch this throw true try type typeof undefined unknown var void while yield",
    },
    Language {
        names: &[
            "c", "h", "cpp", "cc", "hpp", "c++", "java", "kotlin", "kt", "cs", "csharp", "swift",
            "go", "scala", "dart", "php", "zig",
        ],
        line: &["//"],
        block: C_BLOCK,
        quotes: "\"'`",
        words: "abstract auto bool boolean break byte case catch chan char class const continue def default defer do double else enum explicit export extends extern false final finally float fn for fun func function go goto if implements import in init inline int interface internal let long map namespace new nil null nullptr object operator override package private protected public range return select self short signed sizeof static string struct super switch template this throw throws true try type typedef typename union unsigned using val var virtual void volatile when where while yield",
    },
    Language {
        names: &["sh", "bash", "shell", "zsh", "fish", "console"],
        line: &["#"],
        block: None,
        quotes: "\"'",
        words: "case cd do done echo elif else esac eval exec exit export fi for function if in local read return set shift source then unset until while",
    },
    Language {
        names: &["json", "jsonc", "json5", "jsonl"],
        line: &["//"],
        block: C_BLOCK,
        quotes: "\"",
        words: "true false null",
    },
    Language {
        names: &[
            "toml",
            "yaml",
            "yml",
            "ini",
            "conf",
            "dockerfile",
            "makefile",
            "mk",
            "rb",
            "ruby",
            "r",
            "perl",
            "pl",
            "nix",
            "elixir",
            "ex",
            "cmake",
        ],
        line: &["#"],
        block: None,
        quotes: "\"'",
        words: "begin class def do else elsif end false for if in include let module my null require rescue return self sub then true unless until use while with yes no",
    },
    Language {
        names: &["sql"],
        line: &["--"],
        block: C_BLOCK,
        quotes: "'\"",
        words: "ALTER AND AS ASC BY CREATE DELETE DESC DISTINCT DROP EXISTS FROM GROUP HAVING IN INDEX INNER INSERT INTO IS JOIN LEFT LIKE LIMIT NOT NULL ON OR ORDER OUTER PRIMARY SELECT SET TABLE UNION UPDATE VALUES WHERE alter and as asc by create delete desc distinct drop exists from group having in index inner insert into is join left like limit not null on or order outer primary select set table union update values where",
    },
    Language {
        names: &["lua", "haskell", "hs", "elm", "ada"],
        line: &["--"],
        block: None,
        quotes: "\"",
        words: "and break case class data do else elseif end false for function goto if import in instance let local module nil not of or repeat return then true type until where while",
    },
    Language {
        names: &["css", "scss", "less"],
        line: &[],
        block: C_BLOCK,
        quotes: "\"'",
        words: "important media import supports keyframes root var calc none auto inherit",
    },
    Language {
        names: &["html", "xml", "svg", "vue", "htm"],
        line: &[],
        block: Some(("<!--", "-->")),
        quotes: "\"",
        words: "",
    },
    Language {
        names: &["lisp", "el", "clj", "scm", "asm"],
        line: &[";"],
        block: None,
        quotes: "\"",
        words: "def defn defun defvar fn if lambda let nil setq t true false when unless cond",
    },
];

/// Returns a path's extension, which identifies its language.
pub(super) fn ending(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit('.').next().unwrap_or_default()
}

/// Adds a block of code; code of an unknown language is plain text.
pub(super) fn block(out: &mut String, language: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    out.push_str("<pre><code>");
    let language = language.to_lowercase();
    if language == "diff" || language == "patch" {
        diff(out, text);
    } else {
        let language = LANGUAGES.iter().find(|row| row.names.contains(&language.as_str()));
        match language {
            Some(language) => colour(out, language, text),
            None => push(out, text),
        }
    }
    out.push_str("</code></pre>\n");
}

fn diff(out: &mut String, text: &str) {
    for line in text.split_inclusive('\n') {
        let class = match line.as_bytes().first() {
            Some(b'+') => "add",
            Some(b'-') => "cut",
            Some(_) | None => {
                push(out, line);
                continue;
            }
        };
        span(out, class, line);
    }
}

fn span(out: &mut String, class: &str, text: &str) {
    for part in ["<span class=\"", class, "\">"] {
        out.push_str(part);
    }
    push(out, text);
    out.push_str("</span>");
}

fn colour(out: &mut String, language: &Language, text: &str) {
    let mut rest = text;
    let mut before = '\n';
    while let Some(first) = rest.chars().next() {
        let (class, length) = piece(language, rest, first, before);
        let (taken, left) = rest.split_at_checked(length).unwrap_or((rest, ""));
        if class.is_empty() {
            push(out, taken);
        } else {
            span(out, class, taken);
        }
        before = taken.chars().next_back().unwrap_or(first);
        rest = left;
    }
}

/// Returns the first token's class and its length in bytes, at least one character.
fn piece(language: &Language, text: &str, first: char, before: char) -> (&'static str, usize) {
    if let Some((begin, end)) = language.block
        && text.starts_with(begin)
    {
        let inside = text.get(begin.len()..).unwrap_or_default();
        let length = inside.find(end).map_or(text.len(), |at| begin.len() + at + end.len());
        return ("c", length);
    }
    // `#` starts a comment only at the start of a word: `$#` does not.
    let is_comment =
        |mark: &&str| text.starts_with(*mark) && (*mark != "#" || before.is_whitespace());
    if language.line.iter().any(is_comment) {
        return ("c", text.find('\n').unwrap_or(text.len()));
    }
    if language.quotes.contains(first) {
        return ("s", quoted(text, first));
    }
    if first.is_ascii_digit() {
        let is_number = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        return ("n", text.find(|c| !is_number(c)).unwrap_or(text.len()));
    }
    if first.is_alphabetic() || first == '_' {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = text.find(|c| !is_word(c)).unwrap_or(text.len());
        let word = text.get(..length).unwrap_or_default();
        let is_keyword =
            word.is_ascii() && language.words.split(' ').any(|keyword| keyword == word);
        return (if is_keyword { "k" } else { "" }, length);
    }
    ("", first.len_utf8())
}

/// Returns a quoted string's length: up to its end, or to the end of its line. A string in back quotes may span lines.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' if quote != '`' => return at,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}
