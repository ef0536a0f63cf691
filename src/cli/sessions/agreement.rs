//! Asking the person at the terminal for a yes. Where there is no terminal nobody can be asked, which is an error.

use std::io::{self, IsTerminal, Write};

/// Whether a person says yes to a question. It blocks until there is an answer. `otherwise` says what was not done.
pub(super) fn agrees(question: &str, otherwise: &str) -> anyhow::Result<bool> {
    anyhow::ensure!(
        io::stdin().is_terminal(),
        "{otherwise}: nobody can be asked here; with --yes it is done without asking"
    );
    write!(io::stderr(), "{question} [y/N] ")?;
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
