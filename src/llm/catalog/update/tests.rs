use super::*;
use crate::catalog;
use serde_json::{Value, json};

fn today() -> Date {
    "2026-11-28".parse().unwrap()
}

fn row(fields: &Value) -> Value {
    let mut row = json!({
        "provider": "openai", "id": "gpt-7", "source": "openai.com/api/pricing", "checked": "2026-12"
    });
    let all = row.as_object_mut().unwrap();
    all.extend(fields.as_object().unwrap().clone());
    all.retain(|_, value| !value.is_null());
    row
}

fn update(models: &Value) -> String {
    json!({ "date": "2026-11-29", "models": models }).to_string()
}

#[test]
fn the_error_names_the_field() {
    let with = |mut third: Value| {
        if third.get("id").is_none() {
            third["id"] = json!("c");
        }
        update(&json!([row(&json!({})), row(&json!({ "id": "b" })), row(&third)]))
    };
    let price = |price: Value| with(json!({ "price": price }));
    let mut wrong = Vec::new();
    for (text, want) in [
        (String::new(), "the file is empty"),
        (" \n".to_owned(), "the file is empty"),
        ("{".to_owned(), "EOF while parsing an object at line 1 column 1"),
        (update(&json!([])), "models: the list is empty"),
        (json!({ "models": [] }).to_string(), "missing field `date`"),
        (json!({ "date": "soon", "models": [] }).to_string(), "date: `soon` is not a date"),
        (
            json!({ "date": "2026-12-24", "models": [row(&json!({}))] }).to_string(),
            "date: 2026-12-24 is in the future",
        ),
        (
            json!({ "date": "2026-11-28", "models": [], "note": 1 }).to_string(),
            "note: unknown field `note`",
        ),
        (update(&json!([row(&json!({}))])) + "x", "trailing characters"),
        (with(json!({})), ""),
        (with(json!({ "colour": "red" })), "models[2].colour: unknown field `colour`"),
        (with(json!({ "source": null })), "models[2]: missing field `source`"),
        (with(json!({ "checked": null })), "models[2]: missing field `checked`"),
        (with(json!({ "checked": "yesterday" })), "models[2].checked: `yesterday` is not a month"),
        (with(json!({ "cutoff": "2026-13" })), "models[2].cutoff: `2026-13` is not a month"),
        (with(json!({ "source": "a\u{1b}[31m" })), "models[2].source: must be text in one line"),
        (with(json!({ "provider": "a/b" })), "models[2].provider: must not contain a slash"),
        (with(json!({ "api": "soap" })), "models[2].api: `soap` is not one of messages, chat"),
        (with(json!({ "window": 0 })), "models[2].window: must be between 1 and"),
        (with(json!({ "window": 18_446_744_073_709_551_615_u64 })), "models[2].window: must be"),
        (with(json!({ "window": -1 })), "models[2].window: invalid value"),
        (with(json!({ "window": "1M" })), "models[2].window: invalid type: string"),
        (with(json!({ "window": 1_000_000_000 })), ""),
        (with(json!({ "id": "b" })), "models[2]: openai/b is also models[1]"),
        (price(json!({ "input": 0.0, "output": 0 })), ""),
        (price(json!({ "input": 1 })), "models[2].price: missing field `output`"),
        (price(json!({ "input": -1, "output": 1 })), "models[2].price.input: must be between 0"),
        (
            price(json!({ "input": 1, "output": 1, "discount": 1 })),
            "models[2].price.discount: unknown field",
        ),
        (
            price(
                json!({ "input": 1, "output": 1, "above": { "tokens": 0, "input": 1, "output": 1 } }),
            ),
            "models[2].price.above.tokens: must be between 1",
        ),
        (
            price(
                json!({ "input": 1, "output": 1, "above": { "tokens": 9, "input": 1, "output": 1e9 } }),
            ),
            "models[2].price.above.output: must be between 0",
        ),
    ] {
        let got = Update::parse(text.as_bytes(), today());
        let is_as_wanted = match want {
            "" => got.is_ok(),
            want => got.as_ref().is_err_and(|got| got.starts_with(want)),
        };
        if !is_as_wanted {
            wrong.push(format!("{:?} ≠ {want}", got.err()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn rows_replace_those_of_the_same_name_and_all_others_stay() {
    let text = update(&json!([
        row(&json!({})),
        row(&json!({ "id": "gpt-5.4", "window": 7, "price": { "input": 0, "output": 0 } }))
    ]));
    let update = Update::parse(text.as_bytes(), today()).unwrap();
    let mut models = catalog::models().to_vec();
    let before = models.len();
    overlay(&mut models, update);
    assert_eq!(models.len(), before + 1);
    let find =
        |id: &str| models.iter().find(|row| row.provider == "openai" && row.id == id).unwrap();
    assert_eq!(find("gpt-7").update, Some("2026-11-29".parse().unwrap()));
    let replaced = find("gpt-5.4");
    assert_eq!((replaced.window, replaced.max_output), (Some(7), None));
    assert!(replaced.price.unwrap().input.abs() < f64::EPSILON);
    assert_eq!(find("gpt-5.5").update, None);
}
