//! `pintle schema`: the protocol as the files that are generated from it.

use crate::cli::args::SchemaFormat;
use pintle_llm::script;
use pintle_protocol::schema::SCHEMA_JSON;
use std::io::{ErrorKind, Write};

/// Prints the protocol in this format.
pub(crate) fn run(format: SchemaFormat) -> anyhow::Result<u8> {
    let text = match format {
        SchemaFormat::JsonSchema => SCHEMA_JSON,
        SchemaFormat::Openrpc => include_str!("../../protocol/openrpc.json"),
        SchemaFormat::Typescript => include_str!("../../protocol/clients/typescript/pintle.ts"),
        SchemaFormat::Python => include_str!("../../protocol/clients/python/pintle.py"),
        SchemaFormat::Script => script::SCHEMA,
        SchemaFormat::Lua => include_str!("../../editors/nvim/lua/pintle/protocol.lua"),
    };
    match std::io::stdout().write_all(text.as_bytes()) {
        // A reader that has seen enough, such as `head`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(0),
        written => Ok(written.map(|()| 0)?),
    }
}
