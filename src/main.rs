//! The program `pintle`: see [`pintle::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    pintle::cli::main()
}
