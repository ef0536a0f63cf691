//! Generates the schema, the OpenRPC document, the clients, the Neovim plugin's types and the reference from the protocol's types.
//!
//! `cargo run -p pintle-protocol --bin generate` writes the files; with `--check` it only compares them and fails if one differs. The
//! reference's examples come from `protocol/examples/methods.json`. With `--release` it also writes `protocol/stable.json`, the version's
//! stable surface, with which later changes are compared: see `surface`.
#![expect(clippy::disallowed_methods, reason = "a generator reads and writes files")]
#![expect(clippy::print_stderr, reason = "a generator reports its steps")]

mod lua;
mod model;
mod openrpc;
mod python;
mod reference;
#[cfg(test)]
mod rules;
mod schema;
mod surface;
mod typescript;

use model::Model;
use serde_json::Value;
use std::path::Path;
use std::process::ExitCode;

/// An exchange for each method, which the test `protocol_examples` records.
const EXAMPLES: &str = "protocol/examples/methods.json";

/// The stable surface of the version that was released last.
const STABLE: &str = "protocol/stable.json";

fn main() -> ExitCode {
    let is_check = std::env::args().any(|arg| arg == "--check");
    let is_release = std::env::args().any(|arg| arg == "--release");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let schema = schema::document();
    let model = Model::new(&schema);
    let examples = match std::fs::read_to_string(root.join(EXAMPLES)) {
        Ok(text) => serde_json::from_str(&text).unwrap_or_default(),
        Err(error) => {
            eprintln!("{EXAMPLES}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let laid_out = |value: &Value| format!("{value:#}\n");
    let mut files = vec![
        ("protocol/schema.json", laid_out(&schema)),
        ("protocol/openrpc.json", laid_out(&openrpc::document(&schema, &examples))),
        ("protocol/clients/typescript/pintle.ts", typescript::write(&model)),
        ("protocol/clients/python/pintle.py", python::write(&model)),
        ("editors/nvim/lua/pintle/protocol.lua", lua::write(&model)),
        ("protocol/REFERENCE.md", reference::write(&model, &examples)),
    ];
    if is_release {
        files.push((STABLE, laid_out(&surface::surface(&schema))));
    }
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
    let refused = if is_release { Vec::new() } else { refused(&root.join(STABLE), &schema) };
    for change in &refused {
        eprintln!("the version {} does not allow this change: {change}", model.version);
    }
    if !refused.is_empty() {
        eprintln!(
            "raise PROTOCOL_VERSION, or take the change back; {STABLE} is the version that was released last"
        );
        return ExitCode::FAILURE;
    }
    if is_check && !is_same { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Returns the changes since the version that was released last which the present version's number does not allow.
fn refused(released: &Path, schema: &Value) -> Vec<String> {
    let text = std::fs::read_to_string(released).unwrap_or_default();
    match serde_json::from_str(&text) {
        Ok(released) => surface::refused(&released, &surface::surface(schema)),
        Err(error) => vec![format!("{STABLE} cannot be read: {error}")],
    }
}
