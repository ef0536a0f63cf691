#![expect(clippy::disallowed_methods, reason = "tests make the files that are read")]

use super::*;
use pintle_base::ambient::Ambient;
use pintle_exec::local::{Local, Options};
use pintle_exec::memory::Memory;
use pintle_os::names;
use pintle_testing::files::symlink;
use std::fs;

#[tokio::test]
async fn what_leads_out_of_a_project_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let (project, outside) = (folder.path().join("p"), folder.path().join("secret.md"));
    fs::create_dir_all(project.join(".pintle/rules")).unwrap();
    fs::create_dir_all(project.join(".git")).unwrap();
    fs::write(&outside, "---\nalwaysApply: true\n---\nsecret").unwrap();
    fs::write(project.join("real.md"), "inside").unwrap();
    symlink(&outside, project.join("AGENTS.md"));
    symlink("real.md", project.join("CLAUDE.md"));
    symlink(&outside, project.join(".pintle/rules/secret.md"));
    fs::write(project.join(".pintle/rules/own.md"), "---\nalwaysApply: true\n---\nown").unwrap();
    pintle_testing::files::fifo(project.join("pipe.md"));

    let env = Local::new(&Ambient::fixed([]), Options::default());
    let personal = Personal::default();
    let place = ProjectFiles::load(&env, &personal, &project).await;
    assert!(place.is_repository);
    let paths = ["AGENTS.md", "CLAUDE.md", "pipe.md", "none.md"].map(|name| project.join(name));
    let told = place.documents(paths.to_vec()).await;
    let texts: Vec<&str> = told.iter().map(|document| document.text.as_str()).collect();
    assert_eq!(texts, ["inside"]);
    let rules = place.rules().await;
    let names: Vec<&str> = rules.all.iter().map(|(rule, ..)| rule.name.as_str()).collect();
    assert_eq!(names, ["own"]);
    // The user's files may be links to anywhere.
    let here: Arc<dyn Environment> = Arc::new(env);
    let personal = Personal { folder: Some((here, project.clone())), ..Personal::default() };
    let env = Local::new(&Ambient::fixed([]), Options::default());
    let elsewhere = folder.path().join("other");
    fs::create_dir_all(&elsewhere).unwrap();
    let place = ProjectFiles::load(&env, &personal, &elsewhere).await;
    assert!(place.text(&project.join("AGENTS.md")).await.unwrap().contains("secret"));
}

#[tokio::test]
async fn no_document_makes_windows_log_in_elsewhere() {
    let text = "@//evil/share/a.md @\\\\evil\\share\\a.md @docs/a.md";
    for (os, is_looked_at) in [("windows", false), ("linux", true)] {
        let mut env =
            Memory::new([("/p/.git/HEAD", ""), ("/p/AGENTS.md", text), ("/p/docs/a.md", "a")]);
        env.set_platform(os, "/bin/bash");
        let personal = Personal::default();
        let place = ProjectFiles::load(&env, &personal, Path::new("/p")).await;
        let found = place.documents(vec!["/p/AGENTS.md".into()]).await;
        let found: Vec<_> = found.iter().map(|one| pintle_os::names::shown(&one.path)).collect();
        assert_eq!(found, ["/p/docs/a.md", "/p/AGENTS.md"], "{os}");
        let is_evil = |path: &PathBuf| {
            path.to_string_lossy().trim_start_matches(['/', '\\']).starts_with("evil")
        };
        assert_eq!(env.looked_at().iter().any(is_evil), is_looked_at, "{os}");
    }
}

#[tokio::test]
async fn a_document_is_read_with_what_it_imports() {
    let folder = tempfile::tempdir().unwrap();
    let project = pintle_os::names::canonicalize(folder.path()).unwrap().join("p");
    let write = |path: &str, text: &str| {
        let path = project.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    fs::create_dir_all(project.join(".git")).unwrap();
    write("../outside.md", "outside");
    symlink("../outside.md", project.join("link.md"));
    write("AGENTS.md", "top\n@docs/a.md and `@code.md`, @../outside.md @link.md @~/own.md @nobody");
    write("CLAUDE.md", "@AGENTS.md");
    write("docs/a.md", "a\n@b.md\n@../AGENTS.md");
    write("docs/b.md", "b\n@a.md @1.md");
    write("code.md", "code");
    for depth in 1..9 {
        write(&format!("docs/{depth}.md"), &format!("{depth}\n@{}.md", depth + 1));
    }
    let env = Local::new(&Ambient::fixed([]), Options::default());
    let personal = Personal::default();
    let place = ProjectFiles::load(&env, &personal, &project).await;
    let paths = ["AGENTS.md", "CLAUDE.md"].map(|name| project.join(name));
    let told = place.documents(paths.to_vec()).await;
    let below = |path: &Path| names::shown(path.strip_prefix(&project).unwrap()).into_owned();
    let found: Vec<_> = told.iter().map(|one| below(&one.path)).collect();
    let want =
        ["docs/3.md", "docs/2.md", "docs/1.md", "docs/b.md", "docs/a.md", "AGENTS.md", "CLAUDE.md"];
    assert_eq!(found, want, "five files deep, each once");
}
