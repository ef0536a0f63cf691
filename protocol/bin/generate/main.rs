//! Writes what is generated from the protocol's types: the schema, the types of both editors, the reference.
//!
//! `cargo run -p pintle-protocol --bin generate` writes the files; with `--check` it only compares them and
//! fails where one differs. The examples of the reference come from `protocol/examples/methods.json`.
#![expect(clippy::disallowed_methods, reason = "a generator reads and writes files")]
#![expect(clippy::print_stderr, reason = "a generator tells what it did")]

mod lua;
mod model;
mod reference;
mod schema;
mod typescript;

use model::Model;
use std::path::Path;
use std::process::ExitCode;

/// An exchange for each method, which the test `protocol_examples` records.
const EXAMPLES: &str = "protocol/examples/methods.json";

fn main() -> ExitCode {
    let is_check = std::env::args().any(|arg| arg == "--check");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let schema = schema::document();
    let model = Model::of(&schema);
    let examples = match std::fs::read_to_string(root.join(EXAMPLES)) {
        Ok(text) => serde_json::from_str(&text).unwrap_or_default(),
        Err(error) => {
            eprintln!("{EXAMPLES}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut schema_text = format!("{schema:#}");
    schema_text.push('\n');
    let files = [
        ("protocol/schema.json", schema_text),
        ("editors/vscode/src/protocol.ts", typescript::write(&model)),
        ("editors/nvim/lua/pintle/protocol.lua", lua::write(&model)),
        ("protocol/REFERENCE.md", reference::write(&model, &examples)),
    ];
    let mut is_same = true;
    for (name, text) in files {
        let path = root.join(name);
        if std::fs::read_to_string(&path).is_ok_and(|present| present == text) {
            continue;
        }
        is_same = false;
        if is_check {
            eprintln!("{name} differs from the types: cargo run -p pintle-protocol --bin generate");
            continue;
        }
        let written = path
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&path, text));
        match written {
            Ok(()) => eprintln!("wrote {name}"),
            Err(error) => {
                eprintln!("{name}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    if is_check && !is_same { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
