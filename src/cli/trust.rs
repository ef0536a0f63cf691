//! `pintle trust`: the directories that the user trusts.

use crate::cli::args::Trust;
use crate::cli::assemble;
use pintle_agent as agent;
use pintle_base::ambient::Ambient;
use pintle_base::text::screen;
use pintle_base::text::visible::visible_line;
use pintle_exec::isolation;
use pintle_exec::local::{Local, Options};
use pintle_tools::trust::{Agreement, Answers, KeptRule};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Trusts a directory, lists the trusted ones and the permanent answers, or removes an answer.
pub(crate) async fn run(wanted: &Trust, ambient: &Ambient) -> anyhow::Result<u8> {
    let config = assemble::load_config(&crate::cli::args::Settings::default(), ambient)?;
    let answers = assemble::answers(&config);
    if wanted.list {
        let mut out = screen::out();
        let kept = answers.load()?;
        for trusted in &kept.trusted {
            writeln!(out, "{}", visible_line(&trusted.path.to_string_lossy()))?;
        }
        for kept in &kept.rules {
            writeln!(out, "{}", shown(kept))?;
        }
        if kept.trusted.is_empty() && kept.rules.is_empty() {
            writeln!(out, "no trusted directories; run `pintle trust` in a directory to trust it")?;
        }
        return Ok(0);
    }
    if let Some(rule) = &wanted.forget {
        return forget(&answers, rule);
    }
    let named = match &wanted.folder {
        Some(named) => ambient.absolute(named)?,
        None => ambient.current_dir()?,
    };
    let folder = if wanted.revoke { resolve(&named) } else { assemble::folder(&named)? };
    let folder = if wanted.folder.is_none() { isolation::project(&folder) } else { folder };
    let has_changed = answers.set_trusted(&folder, !wanted.revoke).map_err(not_kept)?;
    let shown = visible_line(&folder.to_string_lossy()).into_owned();
    let text = match (wanted.revoke, has_changed) {
        (false, true) => format!("trusted {shown}, effective from the next turn"),
        (false, false) => format!("trusted {shown}"),
        (true, true) => format!("no longer trusted: {shown}"),
        (true, false) => {
            format!(
                "{shown} itself was not trusted; `pintle trust --list` lists trusted directories"
            )
        }
    };
    let mut text = format!("{text}\n");
    if !wanted.revoke {
        let env = Local::new(ambient, Options::default());
        let mut orders = agent::orders(&env, &folder).await;
        let root = isolation::project(&folder);
        for name in orders.keys() {
            let _ = writeln!(text, "  {}: current content accepted", visible_line(name));
        }
        if let Agreement::To(known) = answers.agreement(&root) {
            let is_gone = |name: &&String| {
                !orders.contains_key(*name) && root.join(name).symlink_metadata().is_err()
            };
            let gone: Vec<String> = known.keys().filter(is_gone).cloned().collect();
            for name in gone {
                let _ = writeln!(text, "  {}: removal accepted", visible_line(&name));
                orders.insert(name, String::new());
            }
        }
        if !orders.is_empty() {
            text.push_str("Later changes to these files are ignored until you run this again.\n");
        }
        answers.agree(&root, &orders).map_err(not_kept)?;
    }
    screen::out().write_all(text.as_bytes())?;
    Ok(0)
}

/// Removes the rules that answers added and that the user names: as listed, without their place, or by their words alone.
fn forget(answers: &Answers, named: &str) -> anyhow::Result<u8> {
    let is_named = |kept: &KeptRule| {
        let words = kept.rule.argv.as_ref().map(|words| words.join(" "));
        [Some(shown(kept)), Some(shown_rule(kept)), words]
            .iter()
            .flatten()
            .any(|text| text == named)
    };
    let removed = answers.remove_rules(is_named).map_err(not_kept)?;
    if removed.is_empty() {
        anyhow::bail!(
            "no answer has added the rule `{}`\n  `pintle trust --list` lists the rules that answers have added",
            visible_line(named)
        );
    }
    let mut out = screen::out();
    for kept in &removed {
        writeln!(out, "removed {}", shown(kept))?;
    }
    Ok(0)
}

/// Prints a rule and the place in which it applies.
fn shown(kept: &KeptRule) -> String {
    let place = kept.workspace.as_deref().map(Path::to_string_lossy);
    let place = place.map_or("everywhere".to_owned(), |place| format!("in {place}"));
    format!("{} {}", shown_rule(kept), visible_line(&place))
}

fn shown_rule(kept: &KeptRule) -> String {
    visible_line(&kept.rule.to_string()).into_owned()
}

fn not_kept(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow::anyhow!("failed to save the answer: {error}\n  set PINTLE_HOME to a writable directory")
}

/// Resolves a directory that may no longer exist.
fn resolve(path: &Path) -> PathBuf {
    assemble::folder(path).unwrap_or_else(|_| path.to_owned())
}
