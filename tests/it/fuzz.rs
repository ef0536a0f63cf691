//! Properties that hold for any bytes and any arguments. More cases: `PINTLE_CASES=1000`; with a fuzzer that looks for
//! new code: `tests/fuzz/run.sh`.

#[path = "../fuzz/properties.rs"]
mod properties;

use pintle_exec::Environment;
use pintle_exec::memory::Memory;
use pintle_tools::{Folders, PROFILES, Profile, Settings, ToolContext, declarations};
use properties::PROPERTIES;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes that the code has a case for, more often than chance has.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..8),
        proptest::sample::select(vec![
            "\n",
            "\r\n",
            "\0",
            "a",
            "  ",
            "\t",
            "’",
            "é",
            "e\u{301}",
            "测",
            "\u{a0}",
            "\u{feff}",
            "@@\n",
            "@@ a\n",
            " a\n",
            "-a\n",
            "+b\n",
            "*** Begin Patch\n",
            "*** Update File: f\n",
            "*** End of File\n",
            "\u{1b}[0m",
            "K",
            "\u{212a}",
            "—",
            "*** End Patch\n",
            "*** Add File: g\n",
            "\u{fffd}",
            "😀",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    proptest::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(256))]

    #[test]
    fn properties_hold_for_any_bytes(data in bytes()) {
        for (_, property) in PROPERTIES {
            property(&data);
        }
    }
}

fn context(env: &Arc<Memory>) -> ToolContext {
    ToolContext::new(Arc::<Memory>::clone(env), PathBuf::from("/work"))
}

fn folders() -> Folders {
    Folders { cwd: PathBuf::from("/work"), home: None, shell: pintle_exec::Dialect::Bourne }
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// Values that fit and values that do not.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        proptest::sample::select(vec![
            "f",
            "/work/f",
            "..",
            "~",
            "@f",
            "",
            "a",
            "(",
            "*.txt",
            "*** Begin Patch\n*** Delete File: f\n*** End Patch",
            "content",
            "true",
            "\u{0}",
            "http://localhost:1/",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec(("[a-zA-Z_]{0,8}", inner), 0..4)
                .prop_map(|fields| Value::Object(Map::from_iter(fields))),
        ]
    })
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(64))]

    /// Any JSON as arguments of any tool of any profile: an error with words, or a result.
    #[test]
    fn any_arguments_give_a_result_or_words(values in proptest::collection::vec(value(), 8), whole in value()) {
        let env = Arc::new(Memory::new([("/work/f", "content a\n"), ("/work/d/g.txt", "a\n")]));
        let ctx = context(&env);
        for (_, profile) in PROFILES {
            let tools = profile.tools();
            let declared = declarations(&tools, &Settings::default());
            for (tool, declared) in tools.iter().zip(declared) {
                // The tool's own field names with any values, then anything at all.
                let schema = declared.parameters;
                let names = schema["properties"].as_object().unwrap().keys().cloned();
                let fitting = Value::Object(names.zip(values.iter().cloned()).collect());
                for arguments in [fitting, whole.clone()] {
                    match tool.prepare(arguments, &folders()) {
                        Ok(call) => {
                            prop_assert!(!call.title().is_empty());
                            let result = run(call.run(&ctx));
                            prop_assert!(!result.is_error || !result.content.is_empty());
                        }
                        Err(words) => prop_assert!(!words.is_empty()),
                    }
                }
            }
        }
    }

    /// Whatever else a file holds: an edit of one place changes that place, or nothing and says why.
    #[test]
    fn no_byte_outside_an_edit_changes(before in bytes(), after in bytes()) {
        let content = [&before[..], b"here it is", &after[..]].concat();
        let env = Arc::new(Memory::new([]));
        run(env.write(Path::new("/work/f"), content.clone())).unwrap();
        let ctx = context(&env);
        let tool = Profile::Pi.tools().into_iter().find(|tool| tool.name() == "edit").unwrap();
        let arguments = json!({"path": "f", "oldText": "here it is", "newText": "there it was"});
        let call = tool.prepare(arguments, &folders()).unwrap();
        let result = run(call.run(&ctx));
        let now = run(env.read(Path::new("/work/f"))).unwrap();
        if result.is_error {
            prop_assert_eq!(now, content);
        } else {
            let want = [&before[..], b"there it was", &after[..]].concat();
            // In UTF-16 without a mark the words may stand elsewhere; then as many bytes stay.
            let same = |a: &[u8], b: &[u8]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
            let front = same(&now, &content);
            let back = content.iter().rev().zip(now.iter().rev()).take_while(|(a, b)| a == b).count();
            prop_assert!(now == want || front + back + 40 >= content.len(), "{:?}", now);
        }
    }
}
