//! Finds calls in a reply's text as it arrives. Pure.
//!
//! Besides the form that the prompt asks for, these are understood: a fence labelled `tool_call`, `[TOOL_CALLS]` (Mistral),
//! `<function=NAME>` with JSON or `<parameter=KEY>` blocks (Llama 3, Qwen3-Coder), and a reply that consists of a JSON call. Sources: the
//! chat templates of these models, 2026-11.

use crate::request::ToolSpec;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The marks before and after calls; the last one's calls reach to the end of the reply.
const FORMS: &[(&str, Option<&str>)] = &[
    ("<tool_call>", Some("</tool_call>")),
    ("```tool_call", Some("\n```")),
    ("<function=", Some("</function>")),
    (LIST, None),
];

/// Mistral's mark before a list of calls.
const LIST: &str = "[TOOL_CALLS]";

/// A fence that may contain a call starts with this.
const JSON_FENCE: &str = "```json";

/// Starts a result, which a model must not write itself.
const RESULT: &str = "<tool_result";

/// A part of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Call {
        name: String,
        /// As JSON text; malformed if the model's was.
        arguments: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Only white space so far.
    Start,
    /// In text.
    Text,
    /// In a reply that begins as JSON; whether it is a call is known at its end.
    Json,
    /// In a block of this form.
    Block(usize),
    /// After an invented result.
    Invented,
}

#[derive(Debug)]
pub(super) struct Parser {
    tools: Arc<[ToolSpec]>,
    mode: Mode,
    /// Received text that is not decided yet.
    buffer: String,
    /// Length of the text that was searched for the block's end.
    searched: usize,
    has_calls: bool,
}

impl Parser {
    pub(super) fn new(tools: Arc<[ToolSpec]>) -> Self {
        Self { tools, mode: Mode::Start, buffer: String::new(), searched: 0, has_calls: false }
    }

    /// Takes the next part of the reply's text.
    pub(super) fn push(&mut self, text: &str) -> Vec<Piece> {
        self.buffer.push_str(text);
        let mut pieces = Vec::new();
        while self.step(&mut pieces) {}
        pieces
    }

    /// Ends the reply.
    pub(super) fn end(&mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let rest = std::mem::take(&mut self.buffer);
        match self.mode {
            Mode::Start => pieces.extend(text(rest.trim_start().to_owned())),
            Mode::Invented => {}
            Mode::Text => pieces.extend(text(rest)),
            Mode::Json => match Self::calls(unfenced(&rest)) {
                Some(calls) if calls.iter().all(|call| self.is_known(call)) => pieces.extend(calls),
                Some(_) | None => pieces.extend(text(rest)),
            },
            Mode::Block(form) => {
                // Some models omit the mark at the end, or stop at a limit before it.
                let body = without_end(&rest, form);
                pieces.extend(self.block(form, body).unwrap_or_else(|| vec![broken(form, body)]));
            }
        }
        self.mode = Mode::Start;
        pieces
    }

    /// Decides about the first characters in the buffer; returns false if more text is needed.
    fn step(&mut self, pieces: &mut Vec<Piece>) -> bool {
        match self.mode {
            Mode::Invented => {
                self.buffer.clear();
                false
            }
            Mode::Json => false,
            Mode::Start => {
                let start = self.buffer.trim_start();
                if [JSON_FENCE, LIST].iter().any(|mark| mark.starts_with(start) && *mark != start) {
                    return false;
                }
                let begins_as_json = start.starts_with(['{', '[']) && !start.starts_with(LIST);
                let is_json = !self.has_calls && (begins_as_json || start.starts_with(JSON_FENCE));
                self.buffer = start.to_owned();
                self.mode = if is_json { Mode::Json } else { Mode::Text };
                !is_json
            }
            Mode::Text => self.step_text(pieces),
            Mode::Block(form) => {
                let Some((_, Some(end))) = FORMS.get(form) else { return false };
                // The mark may also be part of an argument.
                while let Some(at) =
                    self.buffer.get(self.searched..).and_then(|unsearched| unsearched.find(end))
                {
                    let at = self.searched + at;
                    self.searched = at + end.len();
                    let body = self.buffer.get(..at).unwrap_or_default();
                    let Some(calls) = self.block(form, body) else { continue };
                    let rest = self.buffer.get(self.searched..).unwrap_or_default().to_owned();
                    self.has_calls = true;
                    pieces.extend(calls);
                    self.buffer = rest;
                    self.mode = Mode::Start;
                    return true;
                }
                self.searched =
                    self.searched.max(self.buffer.len() - shared_end(&self.buffer, end));
                false
            }
        }
    }

    fn step_text(&mut self, pieces: &mut Vec<Piece>) -> bool {
        let marks = FORMS.iter().map(|(start, _)| *start);
        let marks = marks.chain(self.has_calls.then_some(RESULT));
        let first = marks
            .clone()
            .enumerate()
            .filter_map(|(form, mark)| Some((self.buffer.find(mark)?, form, mark)))
            .min();
        if let Some((at, form, mark)) = first {
            let rest = self.buffer.get(at + mark.len()..).unwrap_or_default().to_owned();
            self.buffer.truncate(at);
            pieces.extend(text(std::mem::replace(&mut self.buffer, rest)));
            self.searched = 0;
            self.mode = if mark == RESULT { Mode::Invented } else { Mode::Block(form) };
            return true;
        }
        // The last characters may start a mark.
        let held = marks.map(|mark| shared_end(&self.buffer, mark)).max().unwrap_or_default();
        let rest = self.buffer.split_off(self.buffer.len() - held);
        pieces.extend(text(std::mem::replace(&mut self.buffer, rest)));
        false
    }

    /// Returns a block's calls; `None` if it cannot be read.
    fn block(&self, form: usize, body: &str) -> Option<Vec<Piece>> {
        if FORMS.get(form).is_some_and(|(start, _)| *start == "<function=") {
            return self.function(body).map(|call| vec![call]);
        }
        let body = body.trim();
        // Qwen3-Coder writes its form inside of the other one.
        let inner = body.strip_prefix("<function=").map(|inner| {
            self.function(inner.trim_end().strip_suffix("</function>").unwrap_or(inner))
        });
        match inner {
            Some(call) => call.map(|call| vec![call]),
            None => Self::calls(body),
        }
    }

    /// Reads `NAME>` and the arguments behind it.
    fn function(&self, body: &str) -> Option<Piece> {
        let (name, arguments) = body.split_once('>')?;
        let name = name.trim().trim_matches('"').to_owned();
        let arguments = arguments.trim();
        if let Some(Value::Object(arguments)) = read(arguments) {
            return Some(call(name, &Value::Object(arguments)));
        }
        let schema = self.tools.iter().find(|tool| tool.name == name).map(|tool| &tool.parameters);
        let mut fields = Map::new();
        for part in arguments.split("<parameter=").skip(1) {
            let (key, value) = part.split_once('>')?;
            let value = value.split_once("</parameter>").map_or(value, |(value, _)| value);
            let value = value.strip_prefix('\n').unwrap_or(value);
            let value = value.strip_suffix('\n').unwrap_or(value);
            let kind = schema.and_then(|schema| schema.pointer(&format!("/properties/{key}/type")));
            let is_text = kind.is_none_or(|kind| kind == "string");
            let parsed = serde_json::from_str(value).ok().filter(|_| !is_text);
            fields.insert(key.trim().to_owned(), parsed.unwrap_or_else(|| Value::from(value)));
        }
        (!fields.is_empty() || arguments.is_empty()).then(|| call(name, &Value::Object(fields)))
    }

    /// Reads a call or a list of calls.
    fn calls(body: &str) -> Option<Vec<Piece>> {
        let calls = match read(body)? {
            Value::Array(calls) => calls,
            call => vec![call],
        };
        (!calls.is_empty()).then(|| calls.iter().map(object).collect())?
    }

    fn is_known(&self, piece: &Piece) -> bool {
        matches!(piece, Piece::Call { name, .. } if self.tools.iter().any(|tool| tool.name == *name))
    }
}

/// Reads a call's object.
fn object(value: &Value) -> Option<Piece> {
    let name = ["name", "tool", "function"].iter().find_map(|key| value.get(key)?.as_str())?;
    let arguments = ["arguments", "parameters", "input"].iter().find_map(|key| value.get(key));
    let arguments = match arguments {
        None | Some(Value::Null) => Value::Object(Map::new()),
        // Some write the arguments as text.
        Some(Value::String(text)) => read(text)?,
        Some(arguments) => arguments.clone(),
    };
    Some(call(name.to_owned(), &arguments))
}

fn call(name: String, arguments: &Value) -> Piece {
    Piece::Call { name, arguments: arguments.to_string() }
}

fn text(text: String) -> Option<Piece> {
    (!text.is_empty()).then_some(Piece::Text(text))
}

/// Returns a block that cannot be read as a call whose arguments the engine refuses, so that the model corrects it, if it names a tool.
fn broken(form: usize, body: &str) -> Piece {
    let name = body.split_once("\"name\"").and_then(|(_, rest)| {
        let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        rest.split_once('"')
    });
    match name {
        Some((name, rest)) => {
            let start = rest.find('{').and_then(|at| rest.get(at..));
            Piece::Call { name: name.to_owned(), arguments: start.unwrap_or("{").to_owned() }
        }
        None => Piece::Text(format!("{}{body}", FORMS.get(form).map_or("", |(start, _)| start))),
    }
}

/// Returns a block without the mark at its end, or a part of it.
fn without_end(body: &str, form: usize) -> &str {
    let Some((_, Some(end))) = FORMS.get(form) else { return body };
    body.get(..body.len() - shared_end(body, end)).unwrap_or(body)
}

fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner =
        text.strip_prefix(JSON_FENCE).map(|inner| inner.strip_suffix("```").unwrap_or(inner));
    inner.unwrap_or(text)
}

/// Returns how many trailing bytes may begin a mark.
fn shared_end(text: &str, mark: &str) -> usize {
    let is_shared = |length: &usize| mark.get(..*length).is_some_and(|start| text.ends_with(start));
    (1..=mark.len()).rev().find(is_shared).unwrap_or_default()
}

/// Reads JSON whose strings may contain line breaks and tabs.
fn read(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let (mut escaped, mut in_string, mut is_escape) =
        (String::with_capacity(text.len()), false, false);
    for c in text.chars() {
        match c {
            '\n' if in_string => escaped.push_str("\\n"),
            '\r' if in_string => escaped.push_str("\\r"),
            '\t' if in_string => escaped.push_str("\\t"),
            _ => escaped.push(c),
        }
        if c == '"' && !is_escape {
            in_string = !in_string;
        }
        is_escape = in_string && c == '\\' && !is_escape;
    }
    serde_json::from_str(&escaped).ok()
}
