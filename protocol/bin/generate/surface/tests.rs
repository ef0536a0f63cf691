//! Rows of changes and the steps that they need.
#![expect(clippy::needless_pass_by_value, reason = "rows are built in place")]

use super::*;

/// Returns a surface with one method per sender; `T` is sent by the client and `U` by the engine.
fn with(t: Value, u: Value) -> Value {
    json!({
        "version": "1.0",
        "methods": {
            "a/b": {"sender": "client", "params": {"$ref": "#/$defs/T"}, "result": {"$ref": "#/$defs/U"}},
        },
        "errors": {"busy": -1},
        "$defs": {"T": t, "U": u},
    })
}

fn object(fields: Value, required: Value) -> Value {
    json!({"type": "object", "properties": fields, "required": required})
}

#[test]
fn each_change_needs_its_step() {
    let text = json!({"type": "string"});
    let old = object(json!({"x": text}), json!(["x"]));
    let maybe = object(json!({"x": text}), json!([]));
    let rows: Vec<(&str, Value, &str, &str)> = vec![
        ("nothing", old.clone(), "", ""),
        (
            "a new optional field",
            object(json!({"x": text, "y": text}), json!(["x"])),
            "Minor: T.y is new",
            "Minor: U.y is new",
        ),
        (
            "a new required field",
            object(json!({"x": text, "y": text}), json!(["x", "y"])),
            "Major: T.y is new and required",
            "Minor: U.y is new",
        ),
        ("a field less", object(json!({}), json!([])), "Major: T.x is gone", "Major: U.x is gone"),
        (
            "a renamed field",
            object(json!({"z": text}), json!([])),
            "Major: T.x is gone; Minor: T.z is new",
            "Major: U.x is gone; Minor: U.z is new",
        ),
        (
            "another type",
            object(json!({"x": {"type": "integer"}}), json!(["x"])),
            "Major: T.x: type \"string\" became type \"integer\"",
            "Major: U.x: type \"string\" became type \"integer\"",
        ),
        (
            "a required field that may be absent",
            maybe.clone(),
            "Minor: T.x may be left out now",
            "Major: U.x may be absent now",
        ),
        ("a field behind a reference", json!({"$ref": "#/$defs/V"}), "", ""),
    ];
    for (name, new, to_client, to_engine) in rows {
        let same = with(old.clone(), old.clone());
        let mut changed = with(new.clone(), old.clone());
        changed["$defs"]["V"] = old.clone();
        assert_eq!(
            said(&same, &changed).replace("a/b params", "T"),
            to_client,
            "{name}, sent by clients"
        );
        let mut changed = with(old.clone(), new);
        changed["$defs"]["V"] = old.clone();
        assert_eq!(
            said(&same, &changed).replace("a/b result", "U"),
            to_engine,
            "{name}, sent by the engine"
        );
    }
    let said = said(&with(maybe.clone(), maybe), &with(old.clone(), old));
    assert_eq!(
        said,
        "Major: a/b params.x is required now; Minor: a/b result.x is always there now"
    );
}

#[test]
fn alternatives_may_be_added_and_not_taken() {
    let value = |names: &[&str]| -> Value {
        let each: Vec<Value> =
            names.iter().map(|name| json!({"type": "string", "const": name})).collect();
        json!({ "oneOf": each })
    };
    let tagged = |tags: &[&str]| -> Value {
        let each: Vec<Value> = tags
            .iter()
            .map(|tag| {
                object(
                    json!({"type": {"type": "string", "const": tag}, "n": {"type": "integer"}}),
                    json!(["type"]),
                )
            })
            .collect();
        json!({ "oneOf": each })
    };
    let plain = json!({"$ref": "#/$defs/V"});
    let nullable = json!({"anyOf": [{"$ref": "#/$defs/V"}, {"type": "null"}]});
    let rows = [
        ("a value more", value(&["a"]), value(&["a", "b"]), "Minor: a/b result: b is new"),
        ("a value less", value(&["a", "b"]), value(&["a"]), "Major: a/b result: b is gone"),
        ("other order", value(&["a", "b"]), value(&["b", "a"]), ""),
        ("a variant more", tagged(&["a"]), tagged(&["a", "b"]), "Minor: a/b result: b is new"),
        ("a variant less", tagged(&["a", "b"]), tagged(&["b"]), "Major: a/b result: a is gone"),
        ("null as well", plain, nullable, "Major: a/b result: type \"string\" became any value"),
    ];
    for (name, old, new, want) in rows {
        let surface = |u: Value| {
            let mut surface = with(json!({}), u);
            surface["$defs"]["V"] = json!({"type": "string"});
            surface
        };
        assert_eq!(said(&surface(old), &surface(new)), want, "{name}");
    }
}

/// A change of a surface.
type Edit = fn(&mut Value);

#[test]
fn methods_and_errors_may_be_added_and_not_taken() {
    let old = with(json!({}), json!({}));
    let rows: [(&str, Edit, &str); 6] = [
        (
            "a method more",
            |s| s["methods"]["c"] = s["methods"]["a/b"].clone(),
            "Minor: the method c is new",
        ),
        ("a method less", |s| s["methods"] = json!({}), "Major: the method a/b is gone"),
        (
            "another sender",
            |s| s["methods"]["a/b"]["sender"] = json!("engine"),
            "Major: a/b has another sender",
        ),
        (
            "a notification",
            |s| drop(s["methods"]["a/b"].as_object_mut().unwrap().remove("result")),
            "Major: a/b result: a request became a notification, or the reverse",
        ),
        ("an error more", |s| s["errors"]["new"] = json!(-2), "Minor: the error new is new"),
        (
            "another code",
            |s| s["errors"]["busy"] = json!(-2),
            "Major: the error busy is gone or has another code",
        ),
    ];
    for (name, edit, want) in rows {
        let mut new = old.clone();
        edit(&mut new);
        assert_eq!(said(&old, &new), want, "{name}");
    }
}

#[test]
fn a_version_allows_what_its_step_allows() {
    let old = with(json!({}), json!({}));
    let mut minor = old.clone();
    minor["errors"]["new"] = json!(-2);
    let mut major = old.clone();
    major["errors"] = json!({});
    for (new, version, count) in [
        (&old, "1.0", 0),
        (&minor, "1.0", 1),
        (&minor, "1.1", 0),
        (&minor, "2.0", 0),
        (&major, "1.0", 1),
        (&major, "1.1", 1),
        (&major, "2.0", 0),
    ] {
        let mut new = new.clone();
        new["version"] = json!(version);
        assert_eq!(refused(&old, &new).len(), count, "{version}");
    }
}

#[test]
fn what_is_stable_changes_with_the_version_only() {
    let released: Value = serde_json::from_str(include_str!("../../../stable.json")).unwrap();
    let refused = refused(&released, &surface(&crate::schema::document()));
    assert!(
        refused.is_empty(),
        "the protocol differs from the released version {} by more than its version says; raise PROTOCOL_VERSION, \
         or take the change back: {refused:#?}",
        released["version"]
    );
}

fn said(old: &Value, new: &Value) -> String {
    let each: Vec<String> = changes(old, new)
        .iter()
        .map(|change| format!("{:?}: {}", change.step, change.text))
        .collect();
    each.join("; ")
}
