//! Translates the catalog to JSON, which is faster to read at run time than TOML.
#![expect(clippy::disallowed_methods, reason = "build scripts get their paths from variables")]

use std::error::Error;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    for name in ["providers", "models"] {
        let source = format!("catalog/{name}.toml");
        println!("cargo:rerun-if-changed={source}");
        let table: toml::Table = fs::read_to_string(source)?.parse()?;
        fs::write(Path::new(&out).join(format!("{name}.json")), serde_json::to_string(&table)?)?;
    }
    Ok(())
}
