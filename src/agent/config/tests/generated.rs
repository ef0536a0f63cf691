//! What is generated from the type `Settings`: the JSON Schema, and the complete `config.toml` of the guide. `UPDATE_EXPECT=1` writes both.

use crate::config::Settings;
use expect_test::expect_file;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

const PAGE: &str = include_str!("../../../cli/help/configuration.md");

/// The maximum length of a line of the guide's file.
const WIDTH: usize = 78;

/// The schema: draft-07, which Taplo and Tombi know, and without references, so that they complete every key.
pub(super) fn schema() -> Value {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<Settings>().to_value();
    tidy(&mut schema);
    schema["title"] = json!("config.toml of pintle");
    schema
}

/// Leaves out what TOML does not have or editors do not need, and closes tables.
fn tidy(schema: &mut Value) {
    if let Value::Array(list) = schema {
        list.iter_mut().for_each(tidy);
        return;
    }
    let Value::Object(node) = schema else { return };
    for key in ["format", "title"] {
        node.shift_remove(key);
    }
    if let Some(Value::Array(types)) = node.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = types.as_slice() {
            node["type"] = one.clone();
        }
    }
    if let Some(Value::Array(forms)) = node.get_mut("anyOf") {
        forms.retain(|form| *form != json!({ "type": "null" }));
        if let [Value::Object(one)] = forms.as_slice() {
            let one = one.clone();
            node.shift_remove("anyOf");
            for (key, value) in one {
                node.entry(key).or_insert(value);
            }
        }
    }
    let of_forms = node.get("oneOf").and_then(Value::as_array);
    let names = of_forms.and_then(|forms| {
        let names = forms.iter().map(|form| form.get("const").or(form["enum"].get(0)).cloned());
        names.collect::<Option<Vec<_>>>()
    });
    if let Some(names) = names {
        node.shift_remove("oneOf");
        node.insert("enum".to_owned(), names.into());
    }
    if let Some(Value::Array(values)) = node.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let of_tables = node.get("items").is_some_and(|items| items["type"] == "object");
    if node.get("default").is_some_and(|value| value.is_null() || value.is_object() || of_tables) {
        node.shift_remove("default");
    }
    if let Some(Value::String(text)) = node.get_mut("description") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    let is_map = node.get("additionalProperties").is_some();
    if node.contains_key("properties") && !is_map {
        node.insert("additionalProperties".to_owned(), json!(false));
    }
    for key in ["properties", "items", "additionalProperties", "anyOf", "oneOf"] {
        match node.get_mut(key) {
            Some(Value::Object(map)) if key == "properties" => map.values_mut().for_each(tidy),
            Some(value) => tidy(value),
            None => {}
        }
    }
}

/// The complete file, with the keys that have no default as comments.
#[derive(Default)]
struct File {
    text: String,
    /// Keys of the current table that are already documented.
    documented: Vec<String>,
}

impl File {
    fn comment(&mut self, text: &str) {
        let mut line = "#".to_owned();
        for word in text.split_whitespace() {
            if line.len() + 1 + word.len() > WIDTH {
                self.line(&line);
                "#".clone_into(&mut line);
            }
            line = format!("{line} {word}");
        }
        self.line(&line);
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A key, with its documentation at its first occurrence.
    fn key(&mut self, mark: &str, key: &str, schema: &Value, value: &Value) {
        if !self.documented.iter().any(|known| known == key) {
            self.comment(
                schema["description"].as_str().unwrap_or_else(|| panic!("document `{key}`")),
            );
            self.documented.push(key.to_owned());
        }
        self.line(&format!("{mark}{key} = {}", toml(value)));
    }

    /// Writes a table's keys. A nested table gets dotted keys if it is part of an example.
    fn keys(&mut self, prefix: &str, schema: &Value, is_example: bool) {
        for (key, schema) in properties(schema) {
            let key = format!("{prefix}{key}");
            let example = schema["examples"].get(0);
            let default = schema.get("default").filter(|_| !is_example || example.is_none());
            match (default, example) {
                (Some(value), _) => {
                    self.key(if is_example { "#" } else { "" }, &key, schema, value);
                }
                (None, Some(value)) => self.key("#", &key, schema, value),
                (None, None) if schema.get("properties").is_some() => {
                    self.comment(schema["description"].as_str().unwrap_or_default());
                    self.keys(&format!("{key}."), schema, is_example);
                }
                (None, None) => assert!(is_table(schema), "`{key}` has no default and no example"),
            }
        }
    }

    fn table(&mut self, name: &str, schema: &Value) {
        self.line("");
        self.documented.clear();
        self.comment(schema["description"].as_str().unwrap_or_default());
        let examples = schema["examples"].as_array().into_iter().flatten();
        let items = &schema["items"];
        if items["type"] == "object" && schema.get("examples").is_some() {
            for example in examples {
                self.line(&format!("#[[{name}]]"));
                self.example(items, example);
            }
        } else if items["type"] == "object" {
            self.line(&format!("#[[{name}]]"));
            self.keys("", items, true);
        } else if schema.get("properties").is_some() {
            self.line(&format!("[{name}]"));
            self.keys("", schema, false);
        } else if schema.get("examples").is_some() {
            let examples = examples.filter_map(Value::as_object).flatten();
            for (index, (key, example)) in examples.enumerate() {
                if index > 0 {
                    self.line("");
                }
                self.line(&format!("#[{name}.{key}]"));
                self.example(&schema["additionalProperties"], example);
            }
        } else {
            let of_name = schema["propertyNames"]["examples"][0].as_str().unwrap();
            let name = format!("{name}.{of_name}");
            let rows = map_of(schema);
            self.line(&format!("#[{name}]"));
            self.keys("", rows, true);
            for (key, table) in properties(rows).filter(|(_, schema)| is_table(schema)) {
                self.table(&format!("{name}.{key}"), table);
            }
        }
    }

    /// A row that is an example as a whole.
    fn example(&mut self, schema: &Value, example: &Value) {
        for (key, value) in example.as_object().unwrap() {
            let schema = &schema["properties"][key];
            if schema.get("properties").is_some() {
                self.comment(schema["description"].as_str().unwrap());
                for (inner, value) in value.as_object().unwrap() {
                    self.key("#", &format!("{key}.{inner}"), &schema["properties"][inner], value);
                }
            } else {
                self.key("#", key, schema, value);
            }
        }
    }
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

/// Returns the schema of a map's values.
fn map_of(schema: &Value) -> &Value {
    let forms = schema["anyOf"].as_array().into_iter().flatten();
    let mut maps = forms.chain([schema]).filter_map(|form| form.get("additionalProperties"));
    maps.find(|values| values.is_object()).unwrap()
}

/// Returns true for a list of tables, or a map of them.
fn is_table(schema: &Value) -> bool {
    schema.get("propertyNames").is_some()
        || schema["items"]["type"] == "object"
        || schema["additionalProperties"]["type"] == "object"
}

/// A value in one line of TOML.
fn toml(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("[{}]", list.iter().map(toml).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let rows = map.iter().map(|(key, value)| format!("{key} = {}", toml(value)));
            format!("{{ {} }}", rows.collect::<Vec<_>>().join(", "))
        }
        Value::Null => panic!("TOML has no null"),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

/// The guide's file.
pub(super) fn file() -> String {
    let schema = schema();
    let mut file = File::default();
    file.line("#:schema ./config.schema.json");
    let (tables, keys): (Map<String, Value>, Map<String, Value>) = properties(&schema)
        .map(|(key, schema)| (key.clone(), schema.clone()))
        .partition(|(_, schema)| schema.get("properties").is_some() || is_table(schema));
    file.keys("", &json!({ "properties": keys }), false);
    for (name, schema) in &tables {
        file.table(name, schema);
    }
    file.text
}

#[test]
fn the_schema_is_that_of_the_settings() {
    let text = format!("{:#}\n", schema());
    expect_file!["../../../../protocol/config.schema.json"].assert_eq(&text);
}

#[test]
fn the_guide_has_the_complete_file() {
    let (before, rest) = PAGE.split_once("```toml\n").unwrap();
    let (_, after) = rest.split_once("```").unwrap();
    let page = format!("{before}```toml\n{}```{after}", file());
    expect_file!["../../../cli/help/configuration.md"].assert_eq(&page);
}

#[test]
fn every_key_is_documented() {
    fn check(path: &str, schema: &Value) {
        for (key, schema) in properties(schema) {
            let path = format!("{path}.{key}");
            let text = schema["description"].as_str().unwrap_or_default();
            assert!(text.ends_with('.'), "{path}: {text}");
            check(&path, schema);
        }
        for inner in ["items", "additionalProperties"].into_iter().filter_map(|key| schema.get(key))
        {
            check(path, inner);
        }
    }
    check("", &schema());
}
