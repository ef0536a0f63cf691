use super::*;
use std::time::Duration;

fn command(line: &str, timeout: Option<Duration>) -> Command {
    Command { timeout, ..Command::new(line, "/work", "") }
}

#[tokio::test]
async fn commands_answer_from_the_table() {
    let memory = Memory::new([])
        .with_command("true", Answer::Exits(String::new(), 0))
        .with_command("sleep", Answer::Hangs("zzz\n".into()));
    let none = CancellationToken::new();
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let soon = Some(Duration::from_millis(5));
    for (name, line, timeout, cancel, want) in [
        ("known", "true", None, &none, End::Exited(0)),
        ("unknown", "false", None, &none, End::Exited(127)),
        ("timed out", "sleep", soon, &none, End::TimedOut),
        ("cancelled", "sleep", None, &cancelled, End::Cancelled),
    ] {
        let ran = memory.exec(command(line, timeout), cancel, &mut |_| {}).await.unwrap();
        assert_eq!(ran.end, want, "{name}");
    }
    assert_eq!(memory.commands_run(), ["true", "false", "sleep", "sleep"]);
}

#[tokio::test]
async fn files_and_folders() {
    let memory = Memory::new([("/work/a/b.txt", "text"), ("/work/c", "")]);
    let work = Path::new("/work");
    memory.create_folder(Path::new("/work/empty")).await.unwrap();
    let listed = memory.list(work).await.unwrap();
    let listed: Vec<_> =
        listed.iter().map(|entry| (entry.name.as_str(), entry.is_folder)).collect();
    assert_eq!(listed, [("a", true), ("c", false), ("empty", true)]);
    assert_eq!(memory.read(work).await, Err(Error::IsFolder(work.into())));
    assert_eq!(memory.list(Path::new("/work/c")).await, Err(Error::NotFolder("/work/c".into())));
    memory.rename(Path::new("/work/c"), Path::new("/work/d")).await.unwrap();
    memory.write(Path::new("/work/d"), b"new".to_vec()).await.unwrap();
    assert_eq!(memory.text("/work/d").as_deref(), Some("new"));
    memory.remove(Path::new("/work/d")).await.unwrap();
    assert_eq!(memory.paths(), [PathBuf::from("/work/a/b.txt")]);
}
