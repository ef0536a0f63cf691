#![expect(clippy::disallowed_methods, reason = "a folder in the way of a file")]

use super::*;
use pintle_exec::memory::Memory;
use pintle_exec::sandbox::{Hosts, Network};
use pintle_tools::permissions::{Decision, InSandbox};
use pintle_tools::trust::Answers;

#[tokio::test]
async fn an_answer_that_cannot_be_kept_holds_for_the_session_and_a_person_is_told() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("trust.toml");
    // This prevents creating a file there, even for root.
    std::fs::create_dir_all(file.join("taken")).unwrap();
    let mut policy = PermissionPolicy::open(PermissionMode::Ask);
    policy.answers = Answers::in_file(&file);
    let permissions = Permissions::new(PermissionMode::Ask, Arc::new(policy));
    let env = Memory::new([]);
    let cwd = Path::new("/w");
    let site = Site { env: &env, cwd, additional: &[], home: None, artifacts: None };
    permissions.begin(site).await;
    let rules = [Rule::new(Decision::Allow)];
    for (origin, is_lasting) in [
        (Origin::GrantedForTurn, false),
        (Origin::GrantedForSession, false),
        (Origin::GrantedForProject, true),
        (Origin::GrantedByUser, true),
    ] {
        let (holds, told) = permissions.save_rules(origin, &rules).await;
        assert_eq!(holds, if is_lasting { Origin::GrantedForSession } else { origin });
        assert_eq!(told.is_some(), is_lasting, "{origin:?}");
        let Some(notice) = told else { continue };
        assert_eq!(notice.code, "answerNotKept");
        let words = notice.message;
        assert!(words.starts_with("the answer applies to this session only: "), "{words}");
        assert!(words.contains("trust.toml"), "{words}");
    }
}

#[tokio::test]
async fn another_computer_is_asked_about_before_it_is_looked_at() {
    let bash = r"C:\Program Files\Git\bin\bash.exe";
    let inside = "//server/share/work/a.txt";
    let read = |path: &str| Access::Read(vec![path.into()]);
    let write = |path: &str| Access::Write(vec![path.into()]);
    let run = |line: &str| Access::Execute(line.to_owned());
    for (os, access, is_looked_at) in [
        ("windows", read("//server/other/a.txt"), false),
        ("windows", read("//evil/share/a.txt"), false),
        ("windows", read(r"\\evil\share\a.txt"), false),
        ("windows", write("//evil/share/a.txt"), false),
        ("windows", run("cat //evil/share/a.txt"), false),
        ("windows", run("cat < //evil/share/a.txt"), false),
        ("windows", read(inside), true),
        ("linux", read("//evil/share/a.txt"), true),
    ] {
        let mut env = Memory::new([]);
        env.set_platform(os, bash);
        let policy = Arc::new(PermissionPolicy::open(PermissionMode::Ask));
        let permissions = Permissions::new(PermissionMode::Ask, policy);
        let cwd = Path::new("//server/share/work");
        let site = Site { env: &env, cwd, additional: &[], home: None, artifacts: None };
        permissions.begin(site).await;
        let before = env.looked_at();
        let decided = permissions.decide(site, &Grants::default(), "read", &access).await;
        let looked_at = env.looked_at().split_off(before.len());
        let is_foreign = |path: &PathBuf| {
            let path = path.to_string_lossy();
            path.contains("evil") || path.contains("other")
        };
        let has_foreign = looked_at.iter().any(is_foreign);
        assert_eq!(has_foreign, is_looked_at && access != read(inside), "{access:?}");
        let is_free = decided.verdict.decision == Decision::Allow;
        assert_eq!(is_free, access == read(inside), "{access:?}");
        if let Access::Read(paths) | Access::Write(paths) = &access {
            assert_eq!(permissions.may_look_at(site, paths).await, is_looked_at, "{access:?}");
        }
    }
}

#[tokio::test]
async fn commands_reach_the_hosts_of_rules_and_grants() {
    let rule = |decision, host: &str| Rule { host: Some(host.to_owned()), ..Rule::new(decision) };
    let mut policy = PermissionPolicy::open(PermissionMode::AutoEdit);
    policy.rules = vec![rule(Decision::Deny, "evil.com")];
    let permissions = Permissions::new(PermissionMode::AutoEdit, Arc::new(policy));
    let env = Memory::new([]);
    let cwd = Path::new("/w");
    let site = Site { env: &env, cwd, additional: &[], home: None, artifacts: None };
    let mut grants = Grants::default();
    let access = Access::Execute("true".to_owned());
    let decided = permissions.decide(site, &grants, "bash", &access).await;
    let verdict = CallDecision { in_sandbox: InSandbox::Yes, ..decided.verdict };
    let network = |grants: &Grants| {
        permissions.confinement(&verdict, "bash", grants).unwrap().network.clone()
    };
    // What denies alone opens nothing.
    assert_eq!(network(&grants), Network::None);
    let rules = [rule(Decision::Allow, "docs.rs")];
    grants.add(permissions.compile(&rules, Origin::GrantedForTurn));
    let by = "the rule \u{201c}deny host `evil.com`\u{201d} of your configuration";
    let restricted = vec![("evil.com".to_owned(), by.to_owned())];
    let hosts = Hosts { allowed: vec!["docs.rs".to_owned()], restricted };
    assert_eq!(network(&grants), Network::Hosts(hosts));
    grants.begin_turn();
    assert_eq!(network(&grants), Network::None);
}
