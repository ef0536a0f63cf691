//! Tests that cannot run everywhere.

/// Reports that a part of a test cannot run on this machine. `tests/all.sh` lists it at the end of a run.
pub fn skipped(what: &str) {
    use std::io::Write;
    eprintln!("skipped: {what}");
    let Some(list) = std::env::var_os("PINTLE_SKIPS") else { return };
    let test = std::thread::current();
    let line = format!("{}: {}\n", test.name().unwrap_or_default(), what.replace('\n', " "));
    let list = std::fs::OpenOptions::new().append(true).create(true).open(list);
    list.and_then(|mut list| list.write_all(line.as_bytes())).unwrap();
}

/// Returns true if a test about file permissions must be skipped because root ignores them. The test then runs again as `nobody` in a
/// separate process, where it must pass.
#[cfg(unix)]
pub fn is_superuser() -> bool {
    use std::os::unix::process::CommandExt;
    /// The user id of `nobody`.
    const NOBODY: u32 = 65534;
    if !nix::unistd::geteuid().is_root() {
        return false;
    }
    let current = std::thread::current();
    let test = current.name().unwrap_or_default();
    let program = std::env::current_exe().unwrap();
    let mut again = std::process::Command::new(program);
    again.args([test, "--exact", "--test-threads=2"]).uid(NOBODY).gid(NOBODY).current_dir("/");
    match again.output() {
        Ok(out) => {
            let said = String::from_utf8_lossy(&out.stdout);
            assert!(out.status.success() && said.contains("1 passed"), "{test} as nobody: {said}");
        }
        Err(error) => eprintln!("skipped as nobody: {test} ({error})"),
    }
    true
}

/// Returns true: Windows has no permission bits to test.
#[cfg(windows)]
pub fn is_superuser() -> bool {
    skipped("Windows has no permission bits");
    true
}
