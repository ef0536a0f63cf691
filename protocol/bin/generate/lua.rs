//! The Lua types, as LuaCATS annotations, and the names of methods and codes as values.

use crate::model::{Field, Model, Shape, Type};
use std::fmt::Write;

/// `protocol.lua`.
pub(crate) fn write(model: &Model) -> String {
    let mut out = String::from(
        "-- Generated from protocol/src by `cargo run -p pintle-protocol --bin generate`. Do not edit.\n\n",
    );
    for kind in &model.types {
        declare(&mut out, kind);
    }
    out.push_str("local M = {}\n\n");
    let _ = writeln!(out, "M.name = \"pintle\"\nM.version = \"{}\"\n", model.version);
    out.push_str("---Method names.\nM.method = {\n");
    for method in &model.methods {
        let key = key(&method.name);
        let _ = writeln!(out, "  ---{}", method.text());
        let params = shape(&method.params);
        let _ = match &method.result {
            Some(result) => writeln!(out, "  ---Params: `{params}`; result: `{}`.", shape(result)),
            None => writeln!(out, "  ---Params: `{params}`."),
        };
        let _ = writeln!(out, "  {key} = \"{}\",", method.name);
    }
    out.push_str("}\n\n---Codes of failed requests.\nM.code = {\n");
    for (code, name, doc) in &model.errors {
        let _ = writeln!(out, "  ---{doc}\n  {name} = {code},");
    }
    out.push_str("}\n\nreturn M\n");
    out
}

/// `session/create` as `session_create`, `$/cancelRequest` as `cancelRequest`.
fn key(method: &str) -> String {
    method.trim_start_matches("$/").replace('/', "_")
}

fn declare(out: &mut String, kind: &Type) {
    let _ = writeln!(out, "---{}", kind.text());
    match &kind.shape {
        Shape::Object(fields) => class(out, &kind.name, &[], fields),
        Shape::OneOf(options) if options.iter().any(|(option, _)| is_object(option)) => {
            let names: Vec<String> =
                options.iter().map(|(option, _)| variant_name(&kind.name, option)).collect();
            let _ = writeln!(out, "---@alias pintle.{} {}\n", kind.name, names.join("|"));
            for (option, doc) in options {
                variant(out, &kind.name, option, doc);
            }
        }
        Shape::All(parts) => all(out, kind, parts),
        other => {
            let _ = writeln!(out, "---@alias pintle.{} {}\n", kind.name, shape(other));
        }
    }
}

fn is_object(of: &Shape) -> bool {
    matches!(of, Shape::Object(_) | Shape::All(_))
}

/// LuaCATS has no intersections, so an object with variants becomes one class that inherits what has a
/// name and lists the fields of all variants as optional.
fn all(out: &mut String, kind: &Type, parts: &[Shape]) {
    let mut parents = Vec::new();
    let mut fields: Vec<&Field> = Vec::new();
    for part in parts {
        collect(part, &mut parents, &mut fields, false);
    }
    class_of(out, &kind.name, &parents, &fields);
}

fn collect<'a>(
    part: &'a Shape,
    parents: &mut Vec<String>,
    fields: &mut Vec<&'a Field>,
    is_variant: bool,
) {
    match part {
        Shape::Named(name) if is_variant => parents.push(format!("pintle.{name}")),
        Shape::Named(name) => parents.push(format!("pintle.{name}")),
        Shape::Object(more) => {
            for field in more {
                if fields.iter().all(|known| known.name != field.name) {
                    fields.push(field);
                }
            }
        }
        Shape::All(parts) => {
            for part in parts {
                collect(part, parents, fields, is_variant);
            }
        }
        Shape::OneOf(options) => {
            for (option, _) in options {
                collect(option, parents, fields, true);
            }
        }
        _ => {}
    }
}

fn variant(out: &mut String, owner: &str, option: &Shape, doc: &str) {
    let mut parents = Vec::new();
    let mut fields = Vec::new();
    if matches!(option, Shape::Named(_)) {
        return;
    }
    collect(option, &mut parents, &mut fields, false);
    if !doc.is_empty() {
        let _ = writeln!(out, "---{doc}");
    }
    let name = variant_name(owner, option);
    class_of(out, name.trim_start_matches("pintle."), &parents, &fields);
}

/// Returns a variant's name: its tag, as in `Event.item.delta`, or its type's name.
fn variant_name(owner: &str, option: &Shape) -> String {
    match option {
        Shape::Named(name) => format!("pintle.{name}"),
        Shape::Object(fields) => match tag(fields) {
            Some(tag) => format!("pintle.{owner}.{tag}"),
            None => format!("pintle.{owner}.Variant"),
        },
        Shape::All(parts) => {
            let fields = parts.iter().find_map(|part| match part {
                Shape::Object(fields) => tag(fields),
                _ => None,
            });
            format!("pintle.{owner}.{}", fields.unwrap_or("Variant"))
        }
        other => shape(other),
    }
}

/// Returns the value that distinguishes a variant: that of `type`, else of the first field with only one value.
fn tag(fields: &[Field]) -> Option<&str> {
    let literal = |field: &Field| matches!(field.shape, Shape::Literal(_));
    let tagged = fields.iter().filter(|field| literal(field));
    let tagged = tagged.min_by_key(|field| field.name != "type")?;
    if let Shape::Literal(tag) = &tagged.shape { Some(tag.as_str()) } else { None }
}

fn class(out: &mut String, name: &str, parents: &[String], fields: &[Field]) {
    let fields: Vec<&Field> = fields.iter().collect();
    class_of(out, name, parents, &fields);
}

fn class_of(out: &mut String, name: &str, parents: &[String], fields: &[&Field]) {
    let parents =
        if parents.is_empty() { String::new() } else { format!(": {}", parents.join(", ")) };
    let _ = writeln!(out, "---@class pintle.{name}{parents}");
    for field in fields {
        let mark = if field.is_optional { "?" } else { "" };
        let _ =
            writeln!(out, "---@field {}{mark} {} {}", field.name, shape(&field.shape), field.doc);
    }
    out.push('\n');
}

fn shape(of: &Shape) -> String {
    match of {
        Shape::Any => "any".to_owned(),
        Shape::Text => "string".to_owned(),
        Shape::Number => "integer".to_owned(),
        Shape::Fraction => "number".to_owned(),
        Shape::Truth => "boolean".to_owned(),
        Shape::Null => "userdata".to_owned(),
        Shape::Literal(text) => format!("\"{text}\""),
        Shape::Named(name) => format!("pintle.{name}"),
        Shape::List(item) => format!("({})[]", shape(item)),
        Shape::Map(member) => format!("table<string, {}>", shape(member)),
        Shape::Object(_) | Shape::All(_) => "table".to_owned(),
        Shape::OneOf(options) => {
            options.iter().map(|(option, _)| shape(option)).collect::<Vec<_>>().join("|")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_and_method_is_declared_and_none_is_missing() {
        let model = Model::new(&crate::schema::document());
        let text = write(&model);
        let declared: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("---@class ").or(line.strip_prefix("---@alias ")))
            .map(|line| line.split([':', ' ']).next().unwrap())
            .collect();
        let mut once = declared.clone();
        once.sort_unstable();
        let twice: Vec<_> = once.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "declared twice: {twice:?}");
        for kind in &model.types {
            assert!(declared.contains(&format!("pintle.{}", kind.name).as_str()), "{}", kind.name);
        }
        for piece in text.split("pintle.").skip(1) {
            let name = piece.split(|c: char| !(c.is_alphanumeric() || c == '.')).next().unwrap();
            let name = format!("pintle.{}", name.trim_end_matches('.'));
            assert!(declared.contains(&name.as_str()), "{name} is not declared");
        }
        for method in &model.methods {
            assert!(text.contains(&format!(" = \"{}\",", method.name)), "{}", method.name);
        }
    }
}
