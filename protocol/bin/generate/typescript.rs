//! The TypeScript client.

use crate::model::{Field, Method, Model, Shape};
use pintle_protocol::methods::Sender;
use std::fmt::Write;

/// The handwritten parts. The types come after the first one.
const HEADER: &str = include_str!("typescript/header.ts");
const PARTS: [&str; 3] = [
    include_str!("typescript/messages.ts"),
    include_str!("typescript/session.ts"),
    include_str!("typescript/connection.ts"),
];

/// `pintle.ts`: the client with its types.
pub(crate) fn write(model: &Model) -> String {
    let types = types(model);
    [&[HEADER, &types], &PARTS[..]].concat().join("\n")
}

fn types(model: &Model) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "export const PROTOCOL_NAME = \"pintle\";");
    let _ = writeln!(out, "export const PROTOCOL_VERSION = \"{}\";", model.version);
    for kind in &model.types {
        let _ = writeln!(out, "\n/** {} */", kind.text());
        let _ = writeln!(out, "export type {} = {};", kind.name, shape(&kind.shape, 0));
    }
    let lists: [(&str, &str, Sender, bool); 4] = [
        ("ClientRequests", "Requests a client sends.", Sender::Client, true),
        ("ClientNotifications", "Notifications a client sends.", Sender::Client, false),
        ("EngineRequests", "Requests the engine sends.", Sender::Engine, true),
        ("EngineNotifications", "Notifications the engine sends.", Sender::Engine, false),
    ];
    for (name, doc, sender, is_request) in lists {
        let _ = writeln!(out, "\n/** {doc} */\nexport interface {name} {{");
        let wanted =
            |method: &&Method| method.is_sent_by(sender) && method.result.is_some() == is_request;
        for method in model.methods.iter().filter(wanted) {
            let _ = writeln!(out, "  /** {} */", method.text());
            let params = shape(&method.params, 1);
            let _ = match &method.result {
                Some(result) => writeln!(
                    out,
                    "  \"{}\": {{ params: {params}; result: {} }};",
                    method.name,
                    shape(result, 1)
                ),
                None => writeln!(out, "  \"{}\": {{ params: {params} }};", method.name),
            };
        }
        out.push_str("}\n");
    }
    out.push_str("\n/** The codes of failed requests. */\nexport const ErrorCode = {\n");
    for (code, name, doc) in &model.errors {
        let _ = writeln!(out, "  /** {doc} */\n  {name}: {code},");
    }
    out.push_str("} as const;\n");
    out
}

fn shape(of: &Shape, depth: usize) -> String {
    match of {
        Shape::Any => "unknown".to_owned(),
        Shape::Text => "string".to_owned(),
        Shape::Number | Shape::Fraction => "number".to_owned(),
        Shape::Truth => "boolean".to_owned(),
        Shape::Null => "null".to_owned(),
        Shape::Literal(text) => format!("\"{text}\""),
        Shape::Named(name) => name.clone(),
        Shape::List(item) => match &**item {
            Shape::OneOf(_) | Shape::All(_) => format!("({})[]", shape(item, depth)),
            _ => format!("{}[]", shape(item, depth)),
        },
        Shape::Map(member) => format!("Record<string, {}>", shape(member, depth)),
        Shape::Object(fields) if fields.is_empty() => "Record<string, never>".to_owned(),
        Shape::Object(fields) => object(fields, depth),
        Shape::All(parts) => {
            let part = |part: &Shape| match part {
                Shape::OneOf(_) => format!("({})", shape(part, depth)),
                _ => shape(part, depth),
            };
            parts.iter().map(part).collect::<Vec<_>>().join(" & ")
        }
        Shape::OneOf(options) => {
            let indent = "  ".repeat(depth + 1);
            let option = |(option, doc): &(Shape, String)| {
                let doc = if doc.is_empty() { String::new() } else { format!("/** {doc} */ ") };
                format!("\n{indent}| {doc}{}", shape(option, depth + 1))
            };
            options.iter().map(option).collect()
        }
    }
}

fn object(fields: &[Field], depth: usize) -> String {
    let indent = "  ".repeat(depth + 1);
    let mut out = String::from("{\n");
    for field in fields {
        if !field.doc.is_empty() {
            let _ = writeln!(out, "{indent}/** {} */", field.doc);
        }
        let mark = if field.is_optional { "?" } else { "" };
        let _ = writeln!(out, "{indent}{}{mark}: {};", field.name, shape(&field.shape, depth + 1));
    }
    let _ = write!(out, "{}}}", "  ".repeat(depth));
    out
}
