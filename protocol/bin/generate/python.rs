//! The Python client: the types as `TypedDict`s, and behind them `client.py` with a typed signature of each request.

use crate::model::{Field, Method, Model, Shape, Type};
use pintle_protocol::methods::Sender;
use std::fmt::Write;

/// The client, kept by hand.
const CLIENT: &str = include_str!("client.py");

/// The signatures' place in the client.
const SIGNATURES: &str = "    # The signatures of all requests.\n";

/// Names that cannot stand as members of a class.
const KEYWORDS: [&str; 10] =
    ["and", "as", "class", "from", "global", "import", "in", "is", "not", "or"];

/// `pintle.py`.
pub(crate) fn write(model: &Model) -> String {
    let (before, after) = CLIENT.split_once("# The types.\n").unwrap_or((CLIENT, ""));
    let mut out = before.to_owned();
    let _ = writeln!(out, "PROTOCOL_VERSION = \"{}\"\n", model.version);
    for kind in &model.types {
        declare(&mut out, model, kind);
    }
    for (name, sender, is_request) in
        [("ClientRequest", Sender::Client, true), ("EngineRequest", Sender::Engine, true)]
    {
        let wanted =
            |method: &&Method| method.is_sent_by(sender) && method.result.is_some() == is_request;
        let names = model.methods.iter().filter(wanted);
        let names: Vec<String> =
            names.map(|method| format!("    \"{}\",\n", method.name)).collect();
        let _ = writeln!(out, "{name}: TypeAlias = Literal[\n{}]\n", names.concat());
    }
    out.push_str("\n# The codes of failed requests.\n");
    for (code, name, doc) in &model.errors {
        let _ = writeln!(out, "# {doc}\n{} = {code}", upper(name));
    }
    out.push_str(&after.replace(SIGNATURES, &signatures(model)));
    out
}

/// `parseError` as `PARSE_ERROR`.
fn upper(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() {
            out.push('_');
        }
        out.extend(letter.to_uppercase());
    }
    out
}

fn signatures(model: &Model) -> String {
    let mut out = String::new();
    for method in model.methods.iter().filter(|method| method.is_sent_by(Sender::Client)) {
        let Some(result) = &method.result else { continue };
        let is_optional = match &method.params {
            Shape::Named(name) => alternatives(model, &Shape::Named(name.clone()))
                .iter()
                .all(|fields| fields.iter().all(|field| field.is_optional)),
            _ => false,
        };
        let default = if is_optional { " = ..." } else { "" };
        let _ = write!(
            out,
            "    @overload\n    def request(\n        self, method: Literal[\"{}\"], params: {}{default}\n    ) -> {}: ...\n\n",
            method.name,
            shape(&method.params),
            shape(result)
        );
    }
    out
}

fn declare(out: &mut String, model: &Model, kind: &Type) {
    let name = &kind.name;
    let has_fields = match &kind.shape {
        Shape::Object(_) | Shape::All(_) => true,
        Shape::OneOf(options) => {
            options.iter().all(|(option, _)| matches!(option, Shape::Object(_) | Shape::All(_)))
        }
        _ => false,
    };
    if !has_fields {
        let _ = writeln!(out, "# {}\n{name}: TypeAlias = {}\n", kind.text(), shape(&kind.shape));
        return;
    }
    let all = alternatives(model, &kind.shape);
    if let [only] = all.as_slice() {
        class(out, name, &kind.text(), only);
        return;
    }
    let mut names = Vec::new();
    for fields in &all {
        let variant = format!("{name}{}", suffix(fields));
        class(out, &variant, "", fields);
        names.push(format!("\"{variant}\""));
    }
    let _ = writeln!(out, "# {}\n{name}: TypeAlias = Union[{}]\n", kind.text(), names.join(", "));
}

/// Returns the end of a variant's name, from its tag: `item.delta` gives `ItemDelta`.
fn suffix(fields: &[&Field]) -> String {
    let tag = fields.iter().find_map(|field| match &field.shape {
        Shape::Literal(tag) => Some(tag.as_str()),
        _ => None,
    });
    tag.unwrap_or_default().split('.').map(capitalized).collect()
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The lists of fields that an object may have: one for each combination of variants.
fn alternatives<'a>(model: &'a Model, of: &'a Shape) -> Vec<Vec<&'a Field>> {
    match of {
        Shape::Object(fields) => vec![fields.iter().collect()],
        Shape::Named(name) => model
            .types
            .iter()
            .find(|kind| kind.name == *name)
            .map(|kind| alternatives(model, &kind.shape))
            .unwrap_or_default(),
        Shape::OneOf(options) => {
            options.iter().flat_map(|(option, _)| alternatives(model, option)).collect()
        }
        Shape::All(parts) => {
            let mut all = vec![Vec::new()];
            for part in parts {
                let more = alternatives(model, part);
                let joined = all.iter().flat_map(|known: &Vec<&Field>| {
                    more.iter().map(move |fields| {
                        // A tag leads.
                        let is_known =
                            |field: &&&Field| known.iter().all(|other| other.name != field.name);
                        known.iter().chain(fields.iter().filter(is_known)).copied().collect()
                    })
                });
                all = joined.collect();
            }
            all
        }
        _ => Vec::new(),
    }
}

/// Writes a `TypedDict`. Before Python 3.11, members that may be absent need a separate class.
fn class(out: &mut String, name: &str, doc: &str, fields: &[&Field]) {
    let (optional, required): (Vec<&Field>, Vec<&Field>) =
        fields.iter().partition(|field| field.is_optional);
    let doc = doc.replace('\\', "\\\\");
    let doc = if doc.is_empty() { String::new() } else { format!("    \"\"\"{doc}\"\"\"\n\n") };
    let mut parents = Vec::new();
    if is_odd(&required) || !(required.is_empty() || optional.is_empty()) {
        parents.push(format!("_{name}"));
        part(out, &format!("_{name}"), "TypedDict", "", &required);
    }
    match (parents.is_empty(), required.is_empty()) {
        (false, _) => {
            part(out, name, &format!("{}, total=False", parents.concat()), &doc, &optional);
        }
        (true, true) => part(out, name, "TypedDict, total=False", &doc, &optional),
        (true, false) => part(out, name, "TypedDict", &doc, &required),
    }
}

/// Returns true if a member cannot be written as a name.
fn is_odd(fields: &[&Field]) -> bool {
    fields.iter().any(|field| KEYWORDS.contains(&field.name.as_str()))
}

fn part(out: &mut String, name: &str, parents: &str, doc: &str, fields: &[&Field]) {
    if is_odd(fields) {
        let member = |field: &&Field| format!("\"{}\": {}", field.name, shape(&field.shape));
        let members: Vec<String> = fields.iter().map(member).collect();
        let _ = writeln!(out, "{name} = TypedDict(\"{name}\", {{{}}})\n", members.join(", "));
        return;
    }
    let _ = writeln!(out, "class {name}({parents}):");
    out.push_str(doc);
    for field in fields {
        if !field.doc.is_empty() {
            let _ = writeln!(out, "    # {}", field.doc);
        }
        let _ = writeln!(out, "    {}: {}", field.name, shape(&field.shape));
    }
    out.push_str(if fields.is_empty() && doc.is_empty() { "    pass\n\n\n" } else { "\n\n" });
}

fn shape(of: &Shape) -> String {
    match of {
        Shape::Any => "Any".to_owned(),
        Shape::Text => "str".to_owned(),
        Shape::Number => "int".to_owned(),
        Shape::Fraction => "float".to_owned(),
        Shape::Truth => "bool".to_owned(),
        Shape::Null => "None".to_owned(),
        Shape::Literal(text) => format!("Literal[\"{text}\"]"),
        Shape::Named(name) => format!("\"{name}\""),
        Shape::List(item) => format!("list[{}]", shape(item)),
        Shape::Map(member) => format!("dict[str, {}]", shape(member)),
        Shape::Object(_) | Shape::All(_) => "dict[str, Any]".to_owned(),
        Shape::OneOf(options) => {
            let each: Vec<String> = options.iter().map(|(option, _)| shape(option)).collect();
            format!("Union[{}]", each.join(", "))
        }
    }
}
