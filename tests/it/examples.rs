//! The round by hand in `protocol/examples`: the same in a shell, in Python and in Node.

use crate::support::program::Place;
use std::path::PathBuf;
use std::process::Command;

const WANT: &str = "engine> pintle
read> fix the greeting
text> I will make it a greeting.
asked> edit: note.txt: it changes files
diff> note.txt +1 -1
@@ -1 +1 @@
-helo world
+hello world
read> be brief
text> Done, and briefly, as you said.
turn> completed
read> now something long
text> This will take long.
asked> bash: echo begun; sleep 1000; touch done: it runs a command
output> begun
turn> interrupted
resumed> idle, 0 waiting
";

fn round(interpreter: &str, file: &str) {
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("protocol/examples");
    let lines = std::fs::read_to_string(examples.join(file)).unwrap().lines().count();
    assert!(lines <= 60, "{file} has {lines} lines");
    let place = Place::new(&[("note.txt", "helo world\n")]);
    let out = Command::new(interpreter)
        .arg(examples.join(file))
        .arg(env!("CARGO_BIN_EXE_pintle"))
        .args(["serve", "--script"])
        .arg(examples.join("script.json"))
        .current_dir(place.project())
        .env("PINTLE_HOME", place.home())
        .output()
        .unwrap();
    let said = String::from_utf8(out.stdout).unwrap();
    assert!(out.status.success(), "{file}: {said}{}", String::from_utf8_lossy(&out.stderr));
    let said: String =
        said.lines().filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect();
    // A text may come in one piece or in several.
    let joined = |text: &str| text.replace("\ntext> ", "").replace(' ', "");
    assert_eq!(joined(&said), joined(WANT), "{file}");
    assert_eq!(place.read("note.txt"), "hello world\n");
}

#[test]
fn a_round_in_a_shell_with_jq() {
    round("bash", "round.sh");
}

#[test]
fn a_round_in_python() {
    round("python3", "round.py");
}

#[test]
fn a_round_in_node() {
    round("node", "round.mjs");
}
