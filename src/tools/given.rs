//! Arguments as models give them: under the names of their family, ours, or those of another family.

use super::profile::PROFILES;
use super::schema::{Builtin, Field, Is, REMARKS, Row};
use serde_json::{Map, Value};

impl Row {
    /// Returns a message about the first argument that this tool does not know, or not with this value, if there is one.
    pub(super) fn unknown(&self, arguments: &Value) -> Option<String> {
        let given = arguments.as_object()?;
        let is_fixed = |name: &str| self.fixed.iter().any(|(fixed, _)| *fixed == name);
        let is_ignored =
            |name: &str| self.ignored.contains(&name) || REMARKS.contains(&name) || is_fixed(name);
        let wrong = self.fixed.iter().find(|(name, value)| {
            given.get(*name).is_some_and(|given| !given.is_null() && *given != Value::Bool(*value))
        });
        if let Some((name, value)) = wrong {
            return Some(format!("`{name}` can only be {value} here: omit it"));
        }
        let is_ignored = |name: &str, value: &Value| {
            is_ignored(name) || is_ignored_elsewhere(self.does, name, value)
        };
        unknown("", Some(self.does), self.fields, given, &is_ignored)
    }
}

/// Returns arguments of tools with the same purpose in other families: the family's name with ours. A name with different meanings in
/// different families is left out.
fn foreign(does: Option<Builtin>) -> impl Iterator<Item = &'static Field> {
    let fields = move || rows_of(does).flat_map(|row| row.fields);
    fields().filter(move |field| {
        let is_read = !matches!(field.ours, "remark" | "adapted");
        is_read && fields().all(|other| other.name != field.name || other.ours == field.ours)
    })
}

/// Returns the rows of all families for a purpose. Starting a sub-agent and waiting for its answer take the same arguments.
fn rows_of(does: Option<Builtin>) -> impl Iterator<Item = &'static Row> {
    let kin = |does: Builtin| if does == Builtin::RunAgent { Builtin::SpawnAgent } else { does };
    let rows = PROFILES.iter().flat_map(|(_, profile)| profile.family().rows);
    rows.filter(move |row| does.is_some_and(|does| kin(row.does) == kin(does)))
}

/// Returns true if another family's models may give this argument to a tool of this purpose, and it changes nothing.
fn is_ignored_elsewhere(does: Builtin, name: &str, value: &Value) -> bool {
    let is_read = |field: &&Field| field.name == name && field.ours != "remark";
    let ignores = |row: &'static Row| {
        let is_remark = |field: &Field| field.name == name && field.ours == "remark";
        row.ignored.contains(&name)
            || row.fields.iter().any(is_remark)
            || row.fixed.iter().any(|(fixed, is)| *fixed == name && *value == Value::Bool(*is))
    };
    !rows_of(Some(does)).flat_map(|row| row.fields).any(|field| is_read(&field))
        && rows_of(Some(does)).any(ignores)
}

/// Returns the name by which a model has given one of our arguments: the family's, ours, or that of another family, unless the tool has
/// another argument of that name. `does` is the tool's purpose; `None` within an argument.
pub(super) fn given(
    does: Option<Builtin>,
    fields: &[Field],
    ours: &'static str,
    arguments: &Map<String, Value>,
) -> Option<&'static str> {
    let field = fields.iter().find(|field| field.ours == ours);
    let is_others = |name: &str| fields.iter().any(|it| it.name == name && it.ours != ours);
    let is_given = |name: &&str| arguments.contains_key(*name) && !is_others(name);
    let own = match field {
        Some(field) => field.names().find(is_given),
        None => Some(ours).filter(|name| is_given(name)),
    };
    let mut foreign = foreign(does).filter(|field| field.ours == ours).flat_map(Field::names);
    own.or_else(|| foreign.find(is_given))
}

fn unknown(
    place: &str,
    does: Option<Builtin>,
    fields: &'static [Field],
    given: &Map<String, Value>,
    is_ignored: &dyn Fn(&str, &Value) -> bool,
) -> Option<String> {
    // Some models write `null` for each argument that they leave out.
    given.iter().filter(|(_, value)| !value.is_null()).find_map(|(name, value)| {
        let own = fields.iter().find(|field| field.names().any(|known| known == name));
        let Some(field) =
            own.or_else(|| foreign(does).find(|field| field.names().any(|it| it == name)))
        else {
            if is_ignored(name, value) {
                return None;
            }
            let names: Vec<String> =
                fields.iter().map(|field| format!("`{}`", field.name)).collect();
            let expected = match names.as_slice() {
                [] => "no arguments are expected".to_owned(),
                names => format!("expected one of {}", names.join(", ")),
            };
            return Some(format!("unknown argument `{place}{name}`; {expected}"));
        };
        let (Is::Objects(fields), Value::Array(items)) = (field.is, value) else { return None };
        items.iter().enumerate().find_map(|(at, item)| {
            let place = format!("{place}{name}[{at}].");
            unknown(&place, None, fields, item.as_object()?, is_ignored)
        })
    })
}
