//! Format 2: the names of protocol 2.0. Booleans lose `is` and `has`, tagged values have a `type`, and decisions are called that.
//!
//! Only the renamed places of an event are parsed. Everything else, a call's arguments for one, keeps its bytes.

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Converts a line of format 1.
pub(super) fn line(text: &str) -> Result<String, String> {
    let mut record: Object = serde_json::from_str(text).map_err(|error| error.to_string())?;
    record.within("event", event);
    serde_json::to_string(&record).map_err(|error| error.to_string())
}

fn event(event: &mut Object) {
    match event.text("type").unwrap_or_default().as_str() {
        "input.removed" => event.rename("isHandled", "handled"),
        "item.started" | "item.updated" | "item.completed" => event.within("item", item),
        "plan.updated" => {
            event.each("items", |step| step.revalue("status", "in_progress", "inProgress"));
        }
        "files.changed" => event.each("changes", |change| {
            for side in ["before", "after"] {
                change.within(side, |state| state.rename("isLost", "lost"));
            }
        }),
        "review.decided" => event.within("action", action),
        "review.queued" => event.each("waiting", |waiting| waiting.within("action", action)),
        "session.updated" => event.revalue("by", "person", "user"),
        "notice" => event.revalue("type", "notice", "session.notice"),
        _ => {}
    }
}

fn item(item: &mut Object) {
    match item.text("type").unwrap_or_default().as_str() {
        "toolCall" => item.within("output", |output| {
            output.rename("isError", "failed");
            output.within("details", |details| {
                details.each("jobs", |job| job.rename("hasEnded", "ended"));
            });
        }),
        "engineMessage" => {
            item.rename("sumsUpLeft", "summarizesRewound");
            item.within("note", |note| {
                note.rename("isUnread", "unread");
                note.rename("isHidden", "hidden");
            });
        }
        _ => {}
    }
}

fn action(action: &mut Object) {
    action.rename("action", "type");
    action.rename("verdict", "decision");
    action.within("target", |target| target.rename("of", "type"));
}

/// An object whose values are text, in its order.
struct Object(Vec<(String, Box<RawValue>)>);

impl Object {
    fn value(&mut self, name: &str) -> Option<&mut Box<RawValue>> {
        self.0.iter_mut().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    fn text(&mut self, name: &str) -> Option<String> {
        serde_json::from_str(self.value(name)?.get()).ok()
    }

    fn rename(&mut self, old: &str, new: &str) {
        if let Some((name, _)) = self.0.iter_mut().find(|(known, _)| known == old) {
            new.clone_into(name);
        }
    }

    /// Replaces one text by another.
    fn revalue(&mut self, name: &str, old: &str, new: &str) {
        if self.text(name).as_deref() == Some(old)
            && let Some(value) = self.value(name)
        {
            put(value, new);
        }
    }

    /// Changes the object in a field; a value of another type stays.
    fn within(&mut self, name: &str, change: impl FnOnce(&mut Self)) {
        if let Some(value) = self.value(name)
            && let Ok(mut inner) = serde_json::from_str::<Self>(value.get())
        {
            change(&mut inner);
            put(value, &inner);
        }
    }

    /// Changes each object in a list field.
    fn each(&mut self, name: &str, change: impl Fn(&mut Self)) {
        if let Some(value) = self.value(name)
            && let Ok(mut list) = serde_json::from_str::<Vec<Self>>(value.get())
        {
            list.iter_mut().for_each(change);
            put(value, &list);
        }
    }
}

fn put(value: &mut Box<RawValue>, new: impl Serialize) {
    if let Ok(new) = serde_json::value::to_raw_value(&new) {
        *value = new;
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Object(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_get_the_names_of_format_2() {
        for (old, new) in [
            (r#"{"type":"session.closed"}"#, r#"{"type":"session.closed"}"#),
            (
                r#"{"type":"input.removed","inputs":[],"isHandled":true}"#,
                r#"{"type":"input.removed","inputs":[],"handled":true}"#,
            ),
            (
                r#"{"type":"item.completed","item":{"id":"i","type":"toolCall","input":{"isError":1.50,"n":12345678901234567890123},"output":{"content":[],"isError":true,"details":{"jobs":[{"jobId":"job-1","hasEnded":true}]}}}}"#,
                r#"{"type":"item.completed","item":{"id":"i","type":"toolCall","input":{"isError":1.50,"n":12345678901234567890123},"output":{"content":[],"failed":true,"details":{"jobs":[{"jobId":"job-1","ended":true}]}}}}"#,
            ),
            (
                r#"{"type":"item.completed","item":{"type":"engineMessage","sumsUpLeft":true,"note":{"data":{"isHidden":1},"isUnread":true,"isHidden":true}}}"#,
                r#"{"type":"item.completed","item":{"type":"engineMessage","summarizesRewound":true,"note":{"data":{"isHidden":1},"unread":true,"hidden":true}}}"#,
            ),
            (
                r#"{"type":"plan.updated","items":[{"content":"in_progress","status":"in_progress"},{"content":"b","status":"pending"}]}"#,
                r#"{"type":"plan.updated","items":[{"content":"in_progress","status":"inProgress"},{"content":"b","status":"pending"}]}"#,
            ),
            (
                r#"{"type":"files.changed","changes":[{"path":"/a","after":{"sha256":"x","isLost":true}}]}"#,
                r#"{"type":"files.changed","changes":[{"path":"/a","after":{"sha256":"x","lost":true}}]}"#,
            ),
            (
                r#"{"type":"review.decided","action":{"action":"undo","target":{"of":"hunk","hunk":"1.1"}},"parts":[]}"#,
                r#"{"type":"review.decided","action":{"type":"undo","target":{"type":"hunk","hunk":"1.1"}},"parts":[]}"#,
            ),
            (
                r#"{"type":"review.decided","action":{"action":"revert","verdict":7},"parts":[]}"#,
                r#"{"type":"review.decided","action":{"type":"revert","decision":7},"parts":[]}"#,
            ),
            (
                r#"{"type":"review.queued","waiting":[{"id":3,"action":{"action":"keep","target":{"of":"all"}}}]}"#,
                r#"{"type":"review.queued","waiting":[{"id":3,"action":{"type":"keep","target":{"type":"all"}}}]}"#,
            ),
            (
                r#"{"type":"session.updated","title":"person","by":"person"}"#,
                r#"{"type":"session.updated","title":"person","by":"user"}"#,
            ),
            (
                r#"{"type":"notice","level":"info","code":"notice","message":"m"}"#,
                r#"{"type":"session.notice","level":"info","code":"notice","message":"m"}"#,
            ),
            (
                r#"{"type":"plan.updated","items":"none"}"#,
                r#"{"type":"plan.updated","items":"none"}"#,
            ),
            (r#"{"type":7}"#, r#"{"type":7}"#),
        ] {
            let place = |event: &str| {
                format!(r#"{{"seq":4,"event":{event},"private":{{"isError":true}}}}"#)
            };
            let got = line(&place(old)).unwrap();
            assert_eq!(got, place(new));
            assert_eq!(line(&got).unwrap(), got, "once is enough");
        }
        assert_eq!(line(r#"{"seq":1}"#).unwrap(), r#"{"seq":1}"#);
        assert!(line("7").is_err());
    }
}
