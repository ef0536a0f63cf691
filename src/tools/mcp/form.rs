//! A server's question to the user, as questions that every client can show: one for each field of its form. Pure.

use super::client::Answer;
use serde_json::{Map, Value, json};

/// The maximum number of fields of a form: more are not asked.
const MAX_FIELDS: usize = 12;

/// A field of a form.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    name: String,
    is_required: bool,
    kind: Kind,
    /// The question, with the server's words about it.
    pub(super) text: String,
    /// The answers to choose from, as the user sees them.
    pub(super) options: Vec<String>,
    /// Several may be chosen.
    pub(super) multiple: bool,
    /// The default value.
    default: Option<Value>,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Text,
    Number,
    Integer,
    Flag,
    /// The option values.
    Choice(Vec<String>),
    Choices(Vec<String>),
}

/// Label of the answer that omits an optional field.
const LEAVE_OUT: &str = "(skip)";

/// Returns a form's fields; `None` if it has a field that cannot be asked for.
pub(super) fn fields(message: &str, schema: &Map<String, Value>) -> Option<Vec<Field>> {
    let properties = schema.get("properties").and_then(Value::as_object)?;
    if properties.len() > MAX_FIELDS {
        return None;
    }
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let fields = properties.iter().map(|(name, property)| {
        field(message, name, property.as_object()?, required.contains(&name.as_str()))
    });
    fields.collect()
}

fn field(
    message: &str,
    name: &str,
    property: &Map<String, Value>,
    is_required: bool,
) -> Option<Field> {
    let text_of = |key: &str| property.get(key).and_then(Value::as_str);
    let (kind, mut options) = match text_of("type") {
        Some("boolean") => (Kind::Flag, vec!["yes".to_owned(), "no".to_owned()]),
        Some("integer") => (Kind::Integer, Vec::new()),
        Some("number") => (Kind::Number, Vec::new()),
        Some("string") | None => match choices(property) {
            Some((values, labels)) => (Kind::Choice(values), labels),
            None => (Kind::Text, Vec::new()),
        },
        Some("array") => {
            let (values, labels) = choices(property.get("items")?.as_object()?)?;
            (Kind::Choices(values), labels)
        }
        Some(_) => return None,
    };
    let has_default = property.contains_key("default");
    if (!is_required || has_default) && !options.is_empty() {
        options.push(LEAVE_OUT.to_owned());
    }
    let title = text_of("title").unwrap_or(name);
    let about = text_of("description").map(|about| format!(": {about}")).unwrap_or_default();
    let default = property.get("default").cloned();
    let optional = match &default {
        Some(Value::String(default)) => format!(" (default: {default})"),
        Some(default) => format!(" (default: {default})"),
        None if is_required => String::new(),
        None => " (optional)".to_owned(),
    };
    let is_required = is_required && default.is_none();
    Some(Field {
        name: name.to_owned(),
        is_required,
        multiple: matches!(kind, Kind::Choices(_)),
        kind,
        text: format!("{message}\n\n{title}{about}{optional}"),
        options,
        default,
    })
}

/// Returns a choice's values and their labels.
fn choices(property: &Map<String, Value>) -> Option<(Vec<String>, Vec<String>)> {
    if let Some(values) = property.get("enum").and_then(Value::as_array) {
        let texts = |list: &Vec<Value>| -> Option<Vec<String>> {
            list.iter().map(|value| value.as_str().map(str::to_owned)).collect()
        };
        let values = texts(values)?;
        let names = property.get("enumNames").and_then(Value::as_array);
        let labels: Option<Vec<String>> = names.and_then(texts);
        let labels = labels.filter(|labels| labels.len() == values.len());
        return Some((values.clone(), labels.unwrap_or(values)));
    }
    let titled =
        property.get("oneOf").or_else(|| property.get("anyOf")).and_then(Value::as_array)?;
    let pairs = titled.iter().map(|choice| {
        let value = choice.get("const")?.as_str()?.to_owned();
        let label = choice.get("title").and_then(Value::as_str).map(str::to_owned);
        Some((value.clone(), label.unwrap_or(value)))
    });
    pairs.collect::<Option<Vec<_>>>().map(|pairs| pairs.into_iter().unzip())
}

impl Field {
    /// Adds the user's answer to the form values: the chosen options, and a text.
    ///
    /// # Errors
    /// A message for the user: the answer is not a valid value for the field.
    pub(super) fn take(
        &self,
        chosen: &[String],
        text: Option<&str>,
        values: &mut Map<String, Value>,
    ) -> Result<(), String> {
        let said = text.map(str::trim).filter(|text| !text.is_empty());
        let is_left_out = chosen.iter().any(|label| label == LEAVE_OUT)
            || (chosen.is_empty() && said.is_none_or(|said| said == "-"));
        if is_left_out && !self.is_required {
            if let Some(default) = &self.default {
                values.insert(self.name.clone(), default.clone());
            }
            return Ok(());
        }
        let index = |label: &String| self.options.iter().position(|option| option == label);
        let value_of =
            |known: &[String], label: &String| index(label).and_then(|at| known.get(at)).cloned();
        let value = match &self.kind {
            Kind::Text => said.or(chosen.first().map(String::as_str)).map(|text| json!(text)),
            Kind::Number => said.and_then(|said| said.parse::<f64>().ok()).map(|n| json!(n)),
            Kind::Integer => said.and_then(|said| said.parse::<i64>().ok()).map(|n| json!(n)),
            Kind::Flag => {
                let word = chosen.first().map(String::as_str).or(said).map(str::to_lowercase);
                match word.as_deref() {
                    Some("yes" | "y" | "true") => Some(json!(true)),
                    Some("no" | "n" | "false") => Some(json!(false)),
                    Some(_) | None => None,
                }
            }
            Kind::Choice(known) => {
                let labels = chosen.first().cloned().or_else(|| said.map(str::to_owned));
                labels.and_then(|label| value_of(known, &label)).map(|value| json!(value))
            }
            Kind::Choices(known) => {
                let picked: Vec<String> =
                    chosen.iter().filter_map(|label| value_of(known, label)).collect();
                (!picked.is_empty() || said.is_none()).then(|| json!(picked))
            }
        };
        let wants = match self.kind {
            Kind::Text => "a text",
            Kind::Number => "a number",
            Kind::Integer => "a whole number",
            Kind::Flag => "yes or no",
            Kind::Choice(_) | Kind::Choices(_) => "one of the options",
        };
        values
            .insert(self.name.clone(), value.ok_or_else(|| format!("the answer must be {wants}"))?);
        Ok(())
    }
}

/// Returns the answer for a completed form.
pub(super) fn filled(values: Map<String, Value>) -> Answer {
    Answer::Accept(Some(Value::Object(values)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_is_a_question_and_its_answer_a_value() {
        let schema = json!({"properties": {
            "a": {"type": "string", "title": "Name", "description": "yours"},
            "b": {"type": "integer"},
            "c": {"type": "boolean"},
            "d": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]},
            "e": {"type": "array", "items": {"anyOf": [{"const": "x", "title": "X!"}, {"const": "y"}]}},
            "f": {"type": "number"},
            "g": {"type": "integer", "default": 30}
        }, "required": ["a", "b", "d"]});
        let fields = fields("Who?", schema.as_object().unwrap()).unwrap();
        let mut values = Map::new();
        for (name, chosen, text, want) in [
            ("a", &[][..], Some(" Ann "), Ok(json!("Ann"))),
            ("a", &[], None, Err("the answer must be a text")),
            ("b", &[], Some("12"), Ok(json!(12))),
            ("b", &[], Some("1.5"), Err("the answer must be a whole number")),
            ("c", &["yes"], None, Ok(json!(true))),
            ("c", &[], Some("No"), Ok(json!(false))),
            ("c", &[LEAVE_OUT], None, Ok(Value::Null)),
            ("d", &["Green"], None, Ok(json!("g"))),
            ("d", &[], Some("blue"), Err("the answer must be one of the options")),
            ("e", &["X!", "y"], None, Ok(json!(["x", "y"]))),
            ("f", &[], Some("1.5"), Ok(json!(1.5))),
            ("f", &[], Some("-"), Ok(Value::Null)),
            ("g", &[], Some("-"), Ok(json!(30))),
            ("g", &[], Some("4"), Ok(json!(4))),
        ] {
            let field = fields.iter().find(|field| field.name == name).unwrap();
            let chosen: Vec<String> = chosen.iter().map(|&label| label.to_owned()).collect();
            values.remove(name);
            let got = field.take(&chosen, text, &mut values);
            let got = got.map(|()| values.get(name).cloned().unwrap_or_default());
            assert_eq!(
                got.as_ref().map_err(String::as_str),
                want.as_ref().map_err(|e| *e),
                "{name} {text:?}"
            );
        }
        assert_eq!(fields[0].text, "Who?\n\nName: yours");
        assert_eq!(fields[2].options, ["yes", "no", LEAVE_OUT]);
    }

    #[test]
    fn a_form_that_cannot_be_asked_is_none() {
        for schema in [
            json!({}),
            json!({"properties": {"a": {"type": "object"}}}),
            json!({"properties": {"a": {"type": "array", "items": {"type": "object"}}}}),
        ] {
            assert_eq!(fields("?", schema.as_object().unwrap()), None, "{schema}");
        }
    }
}
