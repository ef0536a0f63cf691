//! JSON Schema of `config.toml`, generated from [`Settings`](super::Settings): the keys that a warning can suggest, and descriptions of the
//! values that a key takes.

use super::document::Step;
use pintle_protocol::schema::CONFIG_SCHEMA_JSON;
use serde_json::Value;
use std::sync::LazyLock;

/// Minimum similarity for a key to be suggested; clap uses the same measure, less strictly.
const MIN_SIMILARITY: f64 = 0.78;

static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(CONFIG_SCHEMA_JSON).unwrap_or_default());

/// Returns the schema for a path.
fn at(path: &[Step]) -> Option<&'static Value> {
    path.iter().try_fold(&*SCHEMA, child)
}

fn child<'a>(schema: &'a Value, step: &Step) -> Option<&'a Value> {
    let own = match step {
        Step::Key(key) => {
            let others = schema.get("additionalProperties").filter(|others| others.is_object());
            schema.get("properties").and_then(|keys| keys.get(key)).or(others)
        }
        Step::Index(_) => schema.get("items"),
    };
    let forms = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    own.or_else(|| forms.into_iter().find_map(|form| child(form, step)))
}

fn keys(schema: &'static Value) -> impl Iterator<Item = &'static str> {
    let keys = schema.get("properties").and_then(Value::as_object);
    keys.into_iter().flatten().map(|(key, _)| key.as_str())
}

/// Describes the value that a path takes, to follow "must be"; `None` if the path is unknown.
pub(super) fn wanted(path: &[Step]) -> Option<String> {
    describe(at(path)?, path)
}

fn describe(schema: &Value, path: &[Step]) -> Option<String> {
    let list = |key| schema.get(key).and_then(Value::as_array);
    if let Some(values) = list("enum") {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        return Some(format!("one of {}", values.join(", ")));
    }
    if let Some(value) = schema.get("const") {
        return Some(value.to_string());
    }
    if let Some(forms) = list("anyOf") {
        let forms: Option<Vec<String>> = forms.iter().map(|form| describe(form, path)).collect();
        return forms.map(|forms| forms.join(" or "));
    }
    let limit = |key| schema.get(key).and_then(Value::as_i64);
    let name = match path {
        [Step::Key(name)] => Some(name),
        _ => None,
    };
    let items = schema.get("items").and_then(|items| items.get("type")).and_then(Value::as_str);
    Some(match (schema.get("type")?.as_str()?, name) {
        ("boolean", _) => "true or false".to_owned(),
        ("string", _) => "a quoted string".to_owned(),
        ("number", _) => "a number".to_owned(),
        ("integer", _) => match (limit("minimum"), limit("maximum")) {
            (Some(min), Some(max)) => format!("a whole number from {min} to {max}"),
            (min, _) => format!("a whole number of at least {}", min.unwrap_or_default()),
        },
        ("array", Some(name)) if items == Some("object") => format!("tables: [[{name}]]"),
        ("array", None) if items == Some("object") => "a list of tables".to_owned(),
        ("array", _) => match list("examples").and_then(|examples| examples.first()) {
            Some(Value::Array(example)) => {
                let example: Vec<String> = example.iter().map(Value::to_string).collect();
                format!("a list of strings, such as [{}]", example.join(", "))
            }
            _ => "a list of strings".to_owned(),
        },
        ("object", Some(name)) if schema.get("properties").is_none() => {
            format!("tables: [{name}.NAME]")
        }
        ("object", Some(name)) => format!("a table: [{name}]"),
        _ => "a table".to_owned(),
    })
}

/// Returns a suggestion for an unknown key: a similar key, or the table in which it belongs.
pub(super) fn suggestion(path: &[Step]) -> String {
    let Some((Step::Key(key), table)) = path.split_last() else { return String::new() };
    let known = at(table).into_iter().flat_map(keys);
    let similar = known.map(|name| (strsim::jaro_winkler(key, name), name));
    let similar = similar.filter(|(similarity, _)| *similarity >= MIN_SIMILARITY);
    if let Some((_, nearest)) = similar.max_by(|(a, _), (b, _)| a.total_cmp(b)) {
        return format!("; did you mean `{nearest}`?");
    }
    let is_here = |schema: &'static Value| keys(schema).any(|name| name == key);
    if is_here(&SCHEMA) {
        return "; it belongs before the first table".to_owned();
    }
    let mut sections =
        keys(&SCHEMA).filter_map(|name| Some((name, SCHEMA.get("properties")?.get(name)?)));
    match sections.find(|(_, section)| is_here(section)) {
        Some((name, _)) => format!("; it belongs in [{name}]"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_key_of_the_same_table_is_named() {
        for (path, want) in [
            ("modelx", "; did you mean `model`?"),
            ("permissions", "; did you mean `permission_mode`?"),
            ("tools profil", "; did you mean `profile`?"),
            ("tools read-first", "; did you mean `read_first`?"),
            ("limits step", "; did you mean `steps`?"),
            ("hooks 2 timeout", "; did you mean `timeout_s`?"),
            ("rules 0 arg", "; did you mean `argv`?"),
            ("mcp_servers a commandx", "; did you mean `command`?"),
            ("providers mine baseUrl", "; did you mean `base_url`?"),
            ("providers mine models m context_window", ""),
            ("providers mine models 0 context_window", ""),
            ("providers mine models m price cacheread", "; did you mean `cache_read`?"),
            ("providers mine login clientid", "; did you mean `client_id`?"),
            ("steps", "; it belongs in [limits]"),
            ("tools retries", "; it belongs before the first table"),
            ("colour", ""),
        ] {
            let step = |part: &str| match part.parse() {
                Ok(index) => Step::Index(index),
                Err(_) => Step::Key(part.to_owned()),
            };
            let steps: Vec<Step> = path.split(' ').map(step).collect();
            assert_eq!(suggestion(&steps), want, "{path}");
        }
    }
}
