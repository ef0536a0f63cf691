use super::*;
use crate::Rewrite;
use crate::memory::Memory;

#[tokio::test]
async fn changes_are_refused_with_a_reason() {
    let memory = Arc::new(Memory::new([("/w/a", "one\n")]));
    let env = ReadOnly(memory.clone());
    let (a, b) = (Path::new("/w/a"), Path::new("/w/b"));
    let none = CancellationToken::new();
    assert_eq!(env.read(a).await, Ok(b"one\n".to_vec()), "reading passes");

    let command = Command::new("touch b", "/w", "");
    let decide: Decide = Box::new(|_| Ok(Rewrite { content: Vec::new().into(), change: None }));
    let decide_all: DecideAll = Box::new(|_| Ok(crate::Rewrites::default()));
    let rows = [
        ("write", env.write(a, Vec::new()).await.err()),
        ("update", env.update(a, decide, &none).await.err()),
        ("update several", env.update_all(&[a.into()], decide_all, &none).await.err()),
        ("set mode", env.set_mode(a, 0o600).await.err()),
        ("create", env.create_folder(b).await.err()),
        ("remove", env.remove(a).await.err()),
        ("rename", env.rename(a, b).await.err()),
        ("exec", env.exec(command, &none, &mut |_| {}).await.err()),
    ];
    for (name, error) in rows {
        let text = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(text.contains("read-only"), "{name}: {text}");
    }
    assert_eq!((memory.text("/w/a").as_deref(), memory.paths().len()), (Some("one\n"), 1));
    assert!(memory.commands_run().is_empty());
}
