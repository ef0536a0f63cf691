//! A settings file's text and the position of each value, so that errors and unknown keys are reported with line, column and key. Pure.

use super::schema;
use super::{Error, pi};
use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A step of a path into a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Key of a table.
    Key(String),
    /// Index of a list item.
    Index(usize),
}

/// Returns a path from these keys.
pub(super) fn path_of<const N: usize>(keys: [&str; N]) -> Vec<Step> {
    keys.map(|key| Step::Key(key.to_owned())).into()
}

/// Returns a path with one more key.
pub(super) fn below(path: &[Step], key: &str) -> Vec<Step> {
    [path, &path_of([key])].concat()
}

/// Returns a path extended by a list index.
pub(super) fn item(path: &[Step], index: usize) -> Vec<Step> {
    [path, &[Step::Index(index)]].concat()
}

/// The maximum number of warnings about unknown keys in one file: each is looked up in the text.
const MAX_WARNINGS: usize = 100;

/// A settings file.
#[derive(Debug)]
pub(super) struct Document<'a> {
    file: &'a Path,
    text: &'a str,
    root: Root<'a>,
    /// Warnings with their offsets.
    warnings: Vec<(usize, String)>,
    /// The number of further unknown keys.
    left_out: usize,
}

#[derive(Debug)]
enum Root<'a> {
    Toml(Spanned<DeValue<'a>>),
    Json(ast::Value<'a>),
}

/// A value of either syntax.
#[derive(Debug, Clone, Copy)]
enum Node<'a> {
    Toml(&'a Spanned<DeValue<'a>>),
    Json(&'a ast::Value<'a>),
}

/// A place in a document.
#[derive(Debug)]
struct Place {
    /// The path as it is written.
    written: String,
    /// Offset of the last key.
    key: usize,
    /// Offset of the value.
    value: usize,
}

/// The syntax that a `models.json` may use beyond JSON: comments and trailing commas, nothing else of JSON5.
const MODELS_SYNTAX: jsonc_parser::ParseOptions = jsonc_parser::ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

impl<'a> Document<'a> {
    /// Parses a TOML file.
    pub(super) fn toml(text: &'a str, file: &'a Path) -> Result<Self, Error> {
        let table = DeTable::parse(text).map_err(|error| {
            // The line itself is not quoted, because it may hold a key.
            let offset = error.span().map_or(0, |span| span.start);
            let what = error.message().trim_end();
            at(file, text, offset, &format!("not valid TOML: {what}"))
        })?;
        let root = Spanned::new(table.span(), DeValue::Table(table.into_inner()));
        Ok(Self { file, text, root: Root::Toml(root), warnings: Vec::new(), left_out: 0 })
    }

    /// Parses a JSON file with comments and trailing commas.
    pub(super) fn json(text: &'a str, file: &'a Path) -> Result<Self, Error> {
        let parsed = jsonc_parser::parse_to_ast(
            text,
            &jsonc_parser::CollectOptions::default(),
            &MODELS_SYNTAX,
        );
        let parsed = parsed.map_err(|error| {
            at(file, text, error.range().start, &format!("not valid JSON: {}", error.kind()))
        })?;
        let root = parsed.value.ok_or_else(|| at(file, text, 0, "not valid JSON: no value"))?;
        Ok(Self { file, text, root: Root::Json(root), warnings: Vec::new(), left_out: 0 })
    }

    /// Returns the content.
    pub(super) fn value(&self) -> Value {
        match &self.root {
            Root::Toml(root) => json_of(root.get_ref()),
            Root::Json(root) => root.clone().into(),
        }
    }

    /// Reads the value at this path. An unknown key is a warning, a wrong value an error.
    pub(super) fn read<T: DeserializeOwned>(
        &mut self,
        value: Value,
        path: &[Step],
    ) -> Result<T, Error> {
        let mut unknown = Vec::new();
        let mut note = |at: serde_ignored::Path<'_>| unknown.push(steps(&at));
        let reader = serde_ignored::Deserializer::new(value, &mut note);
        let read = serde_path_to_error::deserialize(reader);
        for steps in unknown {
            self.unknown(&[path, &steps].concat());
        }
        read.map_err(|error| {
            let inner = error.path().iter().filter_map(|segment| match segment {
                Segment::Seq { index } => Some(Step::Index(*index)),
                Segment::Map { key } => Some(Step::Key(key.clone())),
                Segment::Enum { .. } | Segment::Unknown => None,
            });
            let path: Vec<Step> = path.iter().cloned().chain(inner).collect();
            self.misread(path, &error.inner().to_string())
        })
    }

    /// Returns the error for what serde reports at a path.
    fn misread(&self, mut path: Vec<Step>, message: &str) -> Error {
        let name = |what: &str| message.strip_prefix(what)?.split_once('`').map(|(name, _)| name);
        if let Some(field) = name("missing field `") {
            let at = self.place(&path);
            path.push(Step::Key(field.to_owned()));
            let want = schema::wanted(&path).map(|want| format!("; it must be {want}"));
            let written = if at.written.is_empty() { String::new() } else { at.written + "." };
            let what = format!("`{written}{field}` is missing{}", want.unwrap_or_default());
            return self.error_at(at.key, &what);
        }
        if name("unknown field `").is_some() {
            let at = self.place(&path);
            let suggestion = schema::suggestion(&path);
            return self.error_at(at.key, &format!("`{}` is unknown{suggestion}", at.written));
        }
        let is_of_serde =
            ["invalid ", "unknown variant "].iter().any(|start| message.starts_with(start));
        if !is_of_serde {
            return self.wrong(&path, message);
        }
        let want = schema::wanted(&path).unwrap_or_else(|| plain(message));
        self.wrong(&path, &want)
    }

    /// Returns the error for an invalid value.
    pub(super) fn wrong(&self, path: &[Step], want: &str) -> Error {
        let place = self.place(path);
        self.error_at(place.value, &format!("`{}` must be {want}", place.written))
    }

    /// Returns an error about the value at a path.
    pub(super) fn error(&self, path: &[Step], what: &str) -> Error {
        self.error_at(self.place(path).key, what)
    }

    fn error_at(&self, offset: usize, what: &str) -> Error {
        at(self.file, self.text, offset, what)
    }

    /// Adds a warning about the value at a path.
    pub(super) fn warn(&mut self, path: &[Step], what: &str) {
        let offset = self.place(path).key;
        self.warnings.push((offset, self.error_at(offset, what).message));
    }

    /// Adds a warning that begins with the path.
    pub(super) fn warn_of(&mut self, path: &[Step], what: &str) {
        let what = format!("`{}` {what}", self.place(path).written);
        self.warn(path, &what);
    }

    /// Adds the warning for an unknown key.
    pub(super) fn unknown(&mut self, path: &[Step]) {
        if self.warnings.len() == MAX_WARNINGS {
            self.left_out += 1;
            return;
        }
        self.warn_of(path, &format!("is unknown and ignored{}", schema::suggestion(path)));
    }

    /// Returns true if the value at a path is a list.
    pub(super) fn is_list(&self, path: &[Step]) -> bool {
        let root = self.root();
        let node = path.iter().try_fold(root, |node, step| Some(child(node, step)?.2));
        node.is_some_and(|node| match node {
            Node::Toml(value) => value.get_ref().is_array(),
            Node::Json(value) => matches!(value, ast::Value::Array(_)),
        })
    }

    /// Returns the warnings in file order.
    pub(super) fn into_warnings(mut self) -> Vec<String> {
        self.warnings.sort_by_key(|(offset, _)| *offset);
        let more = (self.left_out > 0)
            .then(|| format!("{}: {} more unknown keys", self.file.display(), self.left_out));
        self.warnings.into_iter().map(|(_, warning)| warning).chain(more).collect()
    }

    fn root(&self) -> Node<'_> {
        match &self.root {
            Root::Toml(root) => Node::Toml(root),
            Root::Json(root) => Node::Json(root),
        }
    }

    /// Finds a value, or the innermost enclosing one that the file contains.
    fn place(&self, path: &[Step]) -> Place {
        let mut node = Some(self.root());
        let start = start_of(self.root());
        let mut place = Place { written: String::new(), key: start, value: start };
        for step in path {
            let found = node.and_then(|node| child(node, step));
            node = found.as_ref().map(|(.., node)| *node);
            let name = match (&found, step) {
                (Some((name, key, node)), _) => {
                    (place.key, place.value) = (*key, start_of(*node));
                    name.clone()
                }
                (None, step) => name_of(step),
            };
            let dot = if place.written.is_empty() || name.starts_with('[') { "" } else { "." };
            place.written = format!("{}{dot}{name}", place.written);
        }
        place
    }
}

fn name_of(step: &Step) -> String {
    match step {
        Step::Key(key) => key.clone(),
        Step::Index(index) => format!("[{index}]"),
    }
}

fn start_of(node: Node<'_>) -> usize {
    match node {
        Node::Toml(value) => value.span().start,
        Node::Json(value) => value.range().start,
    }
}

/// Finds the value that a step leads to: its name as written, its key's offset, and the value itself.
fn child<'a>(node: Node<'a>, step: &Step) -> Option<(String, usize, Node<'a>)> {
    let key = match step {
        Step::Key(key) => key,
        Step::Index(index) => {
            let node = match node {
                Node::Toml(value) => Node::Toml(value.get_ref().as_array()?.get(*index)?),
                Node::Json(ast::Value::Array(list)) => Node::Json(list.elements.get(*index)?),
                Node::Json(_) => return None,
            };
            return Some((name_of(step), start_of(node), node));
        }
    };
    let find = |name: &str| match node {
        Node::Toml(value) => {
            let mut rows = value.get_ref().as_table()?.iter();
            let (key, value) = rows.find(|(key, _)| key.get_ref() == name)?;
            Some((name.to_owned(), key.span().start, Node::Toml(value)))
        }
        Node::Json(ast::Value::Object(table)) => {
            let row = table.properties.iter().rfind(|row| row.name.as_str() == name)?;
            Some((name.to_owned(), row.range.start, Node::Json(&row.value)))
        }
        Node::Json(_) => None,
    };
    find(key).or_else(|| pi::names_of(key).find_map(find))
}

/// Returns an error with its place.
fn at(file: &Path, text: &str, offset: usize, what: &str) -> Error {
    let before = text.get(..offset).unwrap_or_default();
    let line = before.split('\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Error::new(format!("{}:{line}:{column}: {what}", file.display()))
}

/// Converts a TOML value to JSON. A date or a number that JSON cannot express becomes a value that no setting accepts.
fn json_of(value: &DeValue<'_>) -> Value {
    let none = || Value::Array(vec![Value::Null]);
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| none(), Value::from),
        DeValue::Float(number) => {
            let number = number.as_str().parse().ok().and_then(serde_json::Number::from_f64);
            number.map_or_else(none, Value::Number)
        }
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Datetime(_) => none(),
        DeValue::Array(list) => list.iter().map(|item| json_of(item.get_ref())).collect(),
        DeValue::Table(table) => {
            let rows = table.iter();
            rows.map(|(key, value)| (key.get_ref().to_string(), json_of(value.get_ref()))).collect()
        }
    }
}

fn steps(path: &serde_ignored::Path<'_>) -> Vec<Step> {
    use serde_ignored::Path;
    match path {
        Path::Root => Vec::new(),
        Path::Seq { parent, index } => item(&steps(parent), *index),
        Path::Map { parent, key } => below(&steps(parent), key),
        Path::Some { parent }
        | Path::NewtypeStruct { parent }
        | Path::NewtypeVariant { parent } => steps(parent),
    }
}

/// Describes the value that serde expects, if the schema does not.
fn plain(message: &str) -> String {
    let (_, expected) = message.split_once(", expected ").unwrap_or(("", message));
    match expected {
        "a string" => "a quoted string".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list of strings".to_owned(),
        _ if expected.starts_with("struct ") || expected == "a map" => "a table".to_owned(),
        _ => expected.replace('`', "\""),
    }
}
