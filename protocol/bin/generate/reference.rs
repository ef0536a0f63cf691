//! The reference page.

use crate::model::{Field, Method, Model, Shape};
use pintle_protocol::methods::Sender;
use serde_json::Value;
use std::fmt::Write;

/// The widest line of an example.
const COLUMNS: usize = 110;

/// Writes `REFERENCE.md`, with the examples by method.
pub(crate) fn write(model: &Model, examples: &Value) -> String {
    let mut out = String::from(
        "<!-- Generated from protocol/src by `cargo run -p pintle-protocol --bin generate`. Do not edit. -->\n\n",
    );
    let _ = write!(
        out,
        "# Protocol reference\n\nVersion {}. JSON-RPC 2.0 over stdio, one message per line or with `Content-Length` headers; \
         the first byte determines which. `protocol/schema.json` is the machine-readable form. \
         [README.md](README.md) is a guide, and each method has an [example](#examples). Methods and types that are \
         *experimental* may change with any version; all others keep the rule of [versions](README.md#versions).\n",
        model.version
    );
    for (title, sender) in
        [("Methods a client sends", Sender::Client), ("Methods the engine sends", Sender::Engine)]
    {
        let _ = write!(out, "\n## {title}\n\n| method | params | result | |\n|---|---|---|---|\n");
        for method in model.methods.iter().filter(|method| method.is_sent_by(sender)) {
            row(&mut out, method);
        }
    }
    out.push_str("\n## Errors\n\nEvery error carries `data.code`, which is the name or a more specific one below it, and `data.hint` if the user can act on it.\n\n| code | name | |\n|---|---|---|\n");
    for (code, name, doc) in &model.errors {
        let _ = writeln!(out, "| {code} | `{name}` | {doc} |");
        for (_, name, doc) in model.narrower.iter().filter(|(of, _, _)| of == code) {
            let _ = writeln!(out, "| | `{name}` | {doc} |");
        }
    }
    out.push_str("\n## Types\n");
    for kind in &model.types {
        let _ = write!(out, "\n### {}\n\n{}\n", kind.name, kind.text());
        body(&mut out, &kind.shape);
    }
    out.push_str(
        "\n## Examples\n\nAn exchange for each method, recorded from the program by a test. Ids, times and paths are \
         replaced, and long texts and lists are cut.\n",
    );
    for method in &model.methods {
        example(&mut out, method, examples.get(&method.name));
    }
    out
}

fn example(out: &mut String, method: &Method, example: Option<&Value>) {
    let Some(example) = example else { return };
    let sender = match method.sender {
        Sender::Client => "the client",
        Sender::Engine => "the engine",
        Sender::Both => "either side",
    };
    let _ = write!(out, "\n#### `{}`, sent by {sender}\n\n```json\n", method.name);
    for part in ["params", "result"] {
        if let Some(value) = example.get(part) {
            let _ = writeln!(out, "{{\"{part}\": {}}}", lay_out(value, 0, part.len() + 6));
        }
    }
    out.push_str("```\n");
}

/// Formats a value on one line if it fits, else with one member or item per line.
fn lay_out(value: &Value, indent: usize, used: usize) -> String {
    let flat = flat(value);
    if used + flat.chars().count() <= COLUMNS {
        return flat;
    }
    let inner = indent + 2;
    let pad = " ".repeat(inner);
    let (open, close, rows): (_, _, Vec<String>) = match value {
        Value::Object(members) => {
            let row = |(key, value): (&String, &Value)| {
                format!("{pad}\"{key}\": {}", lay_out(value, inner, inner + key.len() + 4))
            };
            ('{', '}', members.iter().map(row).collect())
        }
        Value::Array(items) => {
            let row = |item| format!("{pad}{}", lay_out(item, inner, inner));
            ('[', ']', items.iter().map(row).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return flat,
    };
    format!("{open}\n{}\n{}{close}", rows.join(",\n"), " ".repeat(indent))
}

/// A value on one line.
fn flat(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| format!("\"{key}\": {}", flat(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(flat).collect::<Vec<_>>().join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

fn row(out: &mut String, method: &Method) {
    let result = method.result.as_ref().map_or("notification".to_owned(), shape);
    let _ = writeln!(
        out,
        "| `{}` | {} | {result} | {} |",
        method.name,
        shape(&method.params),
        method.text()
    );
}

fn body(out: &mut String, of: &Shape) {
    match of {
        Shape::Object(fields) if fields.is_empty() => {}
        Shape::Object(fields) => {
            out.push_str("\n| field | type | |\n|---|---|---|\n");
            for field in fields {
                let mark = if field.is_optional { "?" } else { "" };
                let (name, shape, doc) = (&field.name, shape(&field.shape), field_doc(field));
                let _ = writeln!(out, "| `{name}`{mark} | {shape} | {doc} |");
            }
        }
        Shape::OneOf(options) => {
            out.push('\n');
            for (option, doc) in options {
                variant(out, option, doc);
            }
        }
        Shape::All(parts) => parts.iter().for_each(|part| body(out, part)),
        Shape::Named(_) => {
            let _ = write!(out, "\nThe fields of {}.\n", shape(of));
        }
        other => {
            let _ = write!(out, "\nA {}.\n", shape(other));
        }
    }
}

/// Returns a field's description, with its default.
fn field_doc(field: &Field) -> String {
    match &field.default {
        Some(default) if !field.doc.to_lowercase().contains("default") => {
            format!("{} Default: `{default}`.", field.doc)
        }
        _ => field.doc.clone(),
    }
}

/// Writes a variant: its tag and its description on one line, and each field below.
fn variant(out: &mut String, of: &Shape, doc: &str) {
    let colon = if doc.is_empty() { "" } else { ": " };
    let _ = writeln!(out, "- {}{colon}{doc}", inline(of));
    let Shape::Object(fields) = of else { return };
    for field in fields.iter().filter(|field| !matches!(field.shape, Shape::Literal(_))) {
        let mark = if field.is_optional { "?" } else { "" };
        let (name, shape, doc) = (&field.name, shape(&field.shape), field_doc(field));
        let colon = if doc.is_empty() { "" } else { ": " };
        let _ = writeln!(out, "  - `{name}`{mark} ({shape}){colon}{doc}");
    }
}

/// Returns a variant's tag, or its fields if it has none.
fn inline(of: &Shape) -> String {
    match of {
        Shape::Object(fields) => {
            let tags = fields.iter().filter_map(|field| match &field.shape {
                Shape::Literal(text) => Some(format!("`{}: \"{text}\"`", field.name)),
                _ => None,
            });
            let tags: Vec<String> = tags.collect();
            let names = || fields.iter().map(|field| format!("`{}`", field.name)).collect();
            if tags.is_empty() { names() } else { tags }.join(", ")
        }
        Shape::All(parts) => {
            // The tag is the most informative, so it comes first.
            let mut parts: Vec<String> = parts.iter().map(inline).collect();
            parts.reverse();
            parts.join(" with ")
        }
        other => shape(other),
    }
}

fn shape(of: &Shape) -> String {
    match of {
        Shape::Any => "any".to_owned(),
        Shape::Text => "text".to_owned(),
        Shape::Number | Shape::Fraction => "number".to_owned(),
        Shape::Truth => "true or false".to_owned(),
        Shape::Null => "null".to_owned(),
        Shape::Literal(text) => format!("`\"{text}\"`"),
        Shape::Named(name) => format!("[{name}](#{})", name.to_lowercase()),
        Shape::List(item) => format!("list of {}", shape(item)),
        Shape::Map(member) => format!("object of {}", shape(member)),
        Shape::Object(_) => "object".to_owned(),
        Shape::All(parts) => parts.iter().map(shape).collect::<Vec<_>>().join(" and "),
        Shape::OneOf(options) => {
            options.iter().map(|(option, _)| shape(option)).collect::<Vec<_>>().join(" or ")
        }
    }
}
