//! The program: parses arguments and runs one frontend over the engine.

fn main() {}
