use super::*;

#[test]
fn a_mark_names_the_engine_of_the_owners_command() {
    for (mark, owner, want) in [
        ("12.0-abc-1", "abc", Some(12)),
        ("way-12.3-abc-1", "abc", Some(12)),
        ("12.0-abc-def-1", "abc-def", Some(12)),
        ("12.0-abcd-1", "abc", None),
        ("12.0-abc", "abc", None),
        ("12.0-other-abc-1", "abc", None),
        ("x.0-abc-1", "abc", None),
        ("", "abc", None),
    ] {
        assert_eq!(engine_of(mark, owner), want, "{mark} of {owner}");
    }
}

/// A chain of programs, each of which becomes the next one, is always found.
#[cfg(target_os = "linux")]
#[test]
fn no_process_is_overlooked_while_it_becomes_another_program() {
    use std::io::Read as _;
    use std::process::Stdio;

    let owner = format!("chain-{}", std::process::id());
    let mark = format!("{owner}-1");
    let mut command = std::process::Command::new("sh");
    let line = "n=0; [ -z \"$1\" ] || n=$1; n=$((n + 1)); [ $n -lt 300 ] || { echo; exec cat; }; exec sh -c \"$0\" \"$0\" $n";
    let mut child = command
        .args(["-c", line, line])
        .env(MARK, &mark)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
    let mut output = child.stdout.take().unwrap();
    let end = std::thread::spawn(move || output.read_exact(&mut [0]).unwrap());
    let mut missed = 0;
    while !end.is_finished() {
        missed += usize::from(living(&mark, &[]) != [pid]);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(missed, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn only_processes_of_an_engine_that_is_gone_are_abandoned() {
    use std::io::{Read as _, Write as _};
    use std::process::Stdio;

    let own = std::process::id();
    // What it was started with can be seen a moment after it was started only; one that answers has come that far.
    let start = |engine: u32, owner: &str| {
        let mark = format!("{engine}.0-{owner}-1");
        let mut command = std::process::Command::new("cat");
        let mut child =
            command.env(MARK, mark).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.as_mut().unwrap().write_all(b"!").unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        child
    };
    // The id of an ended process is free for a while.
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    let owner = format!("owner-{own}");
    let mut living = [start(own, &owner), start(gone.id(), "another")];
    let mut left = start(gone.id(), &owner);
    let found = abandoned(&owner);
    let lines = command_lines(&found);
    left.kill().unwrap();
    left.wait().unwrap();
    for child in &mut living {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(found, [Pid::from_raw(i32::try_from(left.id()).unwrap())]);
    assert_eq!(lines, ["cat"]);
    assert!(abandoned(&owner).is_empty());
}
