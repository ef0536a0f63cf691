//! What is generated from the protocol's types and shipped with every engine: its JSON Schema, and the files made from that.

/// JSON Schema 2020-12 of every type and method, from `protocol/schema.json`.
pub const SCHEMA_JSON: &str = include_str!("../schema.json");

/// JSON Schema draft-07 of the engine's `config.toml`, from `protocol/config.schema.json`.
pub const CONFIG_SCHEMA_JSON: &str = include_str!("../config.schema.json");

/// The protocol in OpenRPC's format, from `protocol/openrpc.json`.
pub const OPENRPC_JSON: &str = include_str!("../openrpc.json");

/// TypeScript client types, from `protocol/clients/typescript/pintle.ts`.
pub const TYPESCRIPT: &str = include_str!("../clients/typescript/pintle.ts");

/// Python client types, from `protocol/clients/python/pintle.py`.
pub const PYTHON: &str = include_str!("../clients/python/pintle.py");

/// A short fingerprint of [`SCHEMA_JSON`]: it differs whenever the schema does.
pub fn schema_hash() -> String {
    const HASH: u64 = fnv1a(SCHEMA_JSON.as_bytes());
    format!("{HASH:016x}")
}

/// 64-bit FNV-1a. Source: <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>.
const fn fnv1a(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut rest = bytes;
    while let [byte, tail @ ..] = rest {
        hash = (hash ^ *byte as u64).wrapping_mul(0x0100_0000_01b3);
        rest = tail;
    }
    hash
}
