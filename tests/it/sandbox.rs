//! The sandbox tried from inside: each row is a command that does what it should not be able to do.
use pintle::ambient::Ambient;
use pintle::exec::local::{Local, Options};
use pintle::exec::sandbox::Confinement;
use pintle::exec::{Command, Environment, Ran};
use std::path::Path;
use tokio_util::sync::CancellationToken;

fn local(without_namespaces: bool) -> Local {
    let options = Options {
        guardian: Some(env!("CARGO_BIN_EXE_pintle").into()),
        without_namespaces,
        ..Options::default()
    };
    Local::new(&Ambient::system(), options)
}

async fn run(local: &Local, line: &str, confinement: Option<Confinement>) -> Ran {
    let command = Command { confinement, ..Command::new(line, "/", "sandbox") };
    local.exec(command, &CancellationToken::new(), &mut |_| {}).await.unwrap()
}

#[tokio::test]
async fn explore() {
    let local = local(std::env::var("NONS").is_ok());
    let ws = tempfile::tempdir().unwrap();
    let c = Confinement { writable: vec![ws.path().to_owned()], ..Confinement::default() };
    println!("{:?}", pintle::exec::sandbox::probe(Path::new(env!("CARGO_BIN_EXE_pintle"))).await);
    println!("{:?}", run(&local, "echo hi; exit 3", None).await);
    let script = std::env::var("LINE").unwrap_or_else(|_| "id; ls -la / /dev /tmp; cat /proc/self/status | grep -i -E 'cap|seccomp|nonew'; mount | tail -20; ps aux".into());
    let script = script.replace("WS", ws.path().to_str().unwrap());
    let ran = run(&local, &script, Some(c)).await;
    println!("{}\n{:?} {:?}", ran.tail, ran.end, ran.sandbox);
}
