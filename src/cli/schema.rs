//! `pintle schema`: the protocol as the files that are generated from it, and file schemas.

use crate::cli::args::SchemaFormat;
use pintle_llm::script;
use pintle_protocol::schema::{CONFIG_SCHEMA_JSON, OPENRPC_JSON, PYTHON, SCHEMA_JSON, TYPESCRIPT};
use std::io::{ErrorKind, Write};

/// Prints the protocol in this format; `None` prints the schema of `config.toml`.
pub(crate) fn run(format: Option<SchemaFormat>) -> anyhow::Result<u8> {
    let text = match format {
        None => CONFIG_SCHEMA_JSON,
        Some(SchemaFormat::JsonSchema) => SCHEMA_JSON,
        Some(SchemaFormat::Openrpc) => OPENRPC_JSON,
        Some(SchemaFormat::Typescript) => TYPESCRIPT,
        Some(SchemaFormat::Python) => PYTHON,
        Some(SchemaFormat::Script) => script::SCHEMA,
        Some(SchemaFormat::Lua) => include_str!("../../editors/nvim/lua/pintle/protocol.lua"),
    };
    match std::io::stdout().write_all(text.as_bytes()) {
        // A reader that has seen enough, such as `head`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(0),
        written => Ok(written.map(|()| 0)?),
    }
}
