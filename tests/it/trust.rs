//! Trust, by the real program: a hostile repository is opened, prompted and closed, and nothing of it runs; its
//! instructions are used once a person trusts it; what was granted once holds again; ceilings hold.

mod agreement;
mod rules;

use crate::support::program::{Framing, Place, Program};
use crate::support::server::always;
use crate::support::skipped;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn run(place: &Place, replies: &Value, args: &[&str]) -> Output {
    let script = place.script(replies);
    let args = [&["run", "--format", "events", "--script", &script], args].concat();
    place.command(&args).output().unwrap()
}

fn said(text: &str) -> Value {
    json!({"replies": [{"blocks": [{"text": text}]}]})
}

fn bash(command: &str) -> Value {
    json!({"replies": [
        {"blocks": [{"tool": "bash", "arguments": {"command": command}}]},
        {"blocks": [{"text": "done"}]},
    ]})
}

fn events(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn notices(output: &Output) -> Vec<String> {
    let is_notice = |event: &&Value| event["event"]["type"] == "session.notice";
    let events = events(output);
    events.iter().filter(is_notice).map(|event| event["event"]["code"].to_string()).collect()
}

/// The result of the first call, and true if it was declined.
fn result(output: &Output) -> (bool, String) {
    let events = events(output);
    let is_call = |event: &&Value| {
        event["event"]["type"] == "item.completed" && event["event"]["item"]["type"] == "toolCall"
    };
    let call = events.iter().find(is_call).unwrap_or_else(|| panic!("{events:#?}"));
    let item = &call["event"]["item"];
    let blocks = item["output"]["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    (item["status"] == "declined", text)
}

/// Settings with which git starts the program, in every way that `git status` and `git log` know.
fn hostile_config(marker: &Path) -> String {
    let program = format!("touch {}", marker.display());
    format!(
        "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = \"{program} #\"\n\tpager = \"{program}\"\n\
         \tsshCommand = \"{program}\"\n\teditor = \"{program}\"\n\thooksPath = hooks\n\
         [filter \"x\"]\n\tclean = \"{program}; cat\"\n\tsmudge = \"{program}; cat\"\n\tprocess = \"{program}\"\n\
         [diff]\n\texternal = \"{program}\"\n[diff \"x\"]\n\ttextconv = \"{program}; cat\"\n\
         [gpg]\n\tprogram = \"{program}\"\n[log]\n\tshowSignature = true\n"
    )
}

fn git(folder: &Path, args: &[&str]) {
    let output = Command::new("git").args(args).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository with one commit, and a file that its attributes send through a filter.
fn repository(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    git(folder, &["init", "-q"]);
    fs::write(folder.join("a.txt"), "one\n").unwrap();
    git(folder, &["add", "."]);
    let author = ["-c", "user.name=a", "-c", "user.email=a@b"];
    git(folder, &[&author[..], &["commit", "-q", "-m", "one"]].concat());
    fs::write(folder.join(".gitattributes"), "* filter=x diff=x\n").unwrap();
    fs::write(folder.join("a.txt"), "two\n").unwrap();
}

/// Makes a repository in a folder, whose programs would leave the marker.
type Make<'a> = &'a dyn Fn(&Path, &Path);

#[test]
fn nothing_of_a_hostile_repository_runs() {
    let append = |path: &Path, text: &str| {
        let before = fs::read_to_string(path).unwrap_or_default();
        fs::write(path, format!("{before}{text}")).unwrap();
    };
    let rows: [(&str, Make<'_>); 9] = [
        ("settings", &|folder, marker| {
            repository(folder);
            append(&folder.join(".git/config"), &hostile_config(marker));
        }),
        ("settings that are included", &|folder, marker| {
            repository(folder);
            fs::write(folder.join("evil"), hostile_config(marker)).unwrap();
            append(&folder.join(".git/config"), "[include]\n\tpath = ../evil\n");
        }),
        ("settings behind 256 KB of others", &|folder, marker| {
            repository(folder);
            let filler = "# x\n".repeat(80_000);
            append(&folder.join(".git/config"), &format!("{filler}{}", hostile_config(marker)));
        }),
        ("a common folder elsewhere", &|folder, marker| {
            repository(folder);
            let common = folder.join("common");
            repository(&common);
            append(&common.join(".git/config"), &hostile_config(marker));
            fs::write(folder.join(".git/commondir"), "../common/.git\n").unwrap();
        }),
        ("a bare repository in the folder itself", &|folder, marker| {
            fs::create_dir_all(folder).unwrap();
            git(folder, &["init", "-q", "--bare", "."]);
            append(&folder.join("config"), &hostile_config(marker));
            append(&folder.join("config"), "[core]\n\tbare = false\n\tworktree = .\n");
            fs::create_dir(folder.join(".git")).unwrap();
            fs::write(folder.join(".git/config"), "[core]\n").unwrap();
        }),
        ("a link file with a trailing blank", &|folder, marker| {
            repository(&folder.join("g "));
            append(&folder.join("g /.git/config"), &hostile_config(marker));
            repository(&folder.join("g"));
            fs::write(folder.join(".git"), "gitdir: g /.git \n").unwrap();
        }),
        ("a worktree", &|folder, marker| {
            let main = folder.with_extension("main");
            repository(&main);
            git(&main, &["worktree", "add", "-q", "-f", folder.to_str().unwrap()]);
            append(&main.join(".git/config"), &hostile_config(marker));
        }),
        ("a submodule", &|folder, marker| {
            repository(folder);
            repository(&folder.join("sub"));
            append(&folder.join("sub/.git/config"), &hostile_config(marker));
            append(
                &folder.join(".gitmodules"),
                "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n",
            );
            git(folder, &["add", "sub"]);
        }),
        ("hooks", &|folder, marker| {
            repository(folder);
            for hook in [
                "post-checkout",
                "post-index-change",
                "fsmonitor-watchman",
                "reference-transaction",
            ] {
                let path = folder.join(".git/hooks").join(hook);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, format!("#!/bin/sh\ntouch {}\n", marker.display())).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            }
        }),
    ];
    for (name, make) in rows {
        let place = Place::untrusted(&[]);
        let marker = place.path("it-ran");
        let folder = place.path("hostile");
        make(&folder, &marker);
        for mode in ["ask", "auto-edit", "full"] {
            let args = ["-C", folder.to_str().unwrap(), "--permission", mode, "hi"];
            let output = run(&place, &said("hello"), &args);
            assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
            assert!(!marker.exists(), "{name}: a program of the repository ran in mode {mode}");
        }
    }
}

/// The programs that git starts for the repository's sake run confined, if at all, and whatever they write to is read-only.
#[test]
fn what_runs_unasked_in_a_mode_that_asks_changes_nothing() {
    for mode in ["ask", "read-only"] {
        for command in
            ["git status", "git diff", "git log -p", "git show", "cd . && git status | cat", "ls"]
        {
            let place = Place::untrusted(&[]);
            let folder = place.path("hostile");
            repository(&folder);
            let marker = folder.join("it-ran");
            let program = folder.join("evil.sh");
            let script = format!("#!/bin/sh\necho evil > a.txt\ntouch {}\n", marker.display());
            fs::write(&program, script).unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
            let config = folder.join(".git/config");
            let before = fs::read_to_string(&config).unwrap();
            let program = program.display();
            let evil = format!(
                "[core]\n\tfsmonitor = {program}\n[diff]\n\texternal = {program}\n[filter \"x\"]\n\tclean = {program}\n"
            );
            fs::write(&config, before + &evil).unwrap();
            let args = ["-C", folder.to_str().unwrap(), "--permission", mode, "hi"];
            let output = run(&place, &bash(command), &args);
            let (is_declined, text) = result(&output);
            let content = fs::read_to_string(folder.join("a.txt")).unwrap();
            assert_eq!(content, "two\n", "{mode}: {command}: {is_declined} {text}");
            assert!(!marker.exists(), "{mode}: {command}: {text}");
        }
    }
}

/// A harmless name says nothing where the folder decides what it starts.
#[test]
fn launchers_and_programs_of_the_workspace_are_asked_about() {
    const COMMAND: &str = "head -n 1 a.txt";
    // Where the program is (below the home or the project), the link's target, and the command. PATH names a project folder `bin` without
    // its parents.
    for (name, folder, target, command, is_harmless) in [
        ("a program of the user", "home/bin", None, COMMAND, true),
        ("a program of the workspace", "project/tools", None, COMMAND, false),
        ("a shim", "home/.asdf/shims", None, COMMAND, false),
        ("a link to a launcher", "home/.volta/bin", Some("volta-shim"), COMMAND, false),
        ("a relative folder", "project/bin", None, COMMAND, false),
        ("behind cd", "project/a/bin", None, "cd a && head -n 1 ../a.txt", false),
        ("behind two", "project/a/b/bin", None, "cd a; cd b && head -n 1 ../../a.txt", false),
        ("not behind cd", "project/a/bin", None, COMMAND, true),
    ] {
        for mode in ["ask", "read-only"] {
            let place = Place::untrusted(&[("a.txt", "one\n")]);
            let root = match folder.split_once('/') {
                Some(("home", below)) => place.project().parent().unwrap().join(below),
                Some((_, below)) => place.path(below),
                None => panic!("{folder}"),
            };
            let is_relative = folder.starts_with("project") && folder.ends_with("bin");
            fs::create_dir_all(&root).unwrap();
            let file = root.join(target.unwrap_or("head"));
            fs::write(&file, "#!/bin/sh\necho it-ran\n").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
            if let Some(target) = target {
                std::os::unix::fs::symlink(target, root.join("head")).unwrap();
            }
            let first = if is_relative { Path::new("bin") } else { &root };
            let path = format!("{}:{}", first.display(), std::env::var("PATH").unwrap());
            let script = place.script(&bash(command));
            let args =
                ["run", "--format", "events", "--script", &script, "--permission", mode, "hi"];
            let output = place.command(&args).env("PATH", path).output().unwrap();
            let (is_declined, text) = result(&output);
            assert_eq!(!is_declined, is_harmless, "{name}, {mode}: {text}");
            assert!(is_harmless || !text.contains("it-ran"), "{name}, {mode}: {text}");
        }
    }
}

#[test]
fn instructions_are_used_once_a_person_trusts_the_folder() {
    let place = Place::untrusted(&[("AGENTS.md", "Speak Latin.\n"), (".pintle/rules/a.md", "x\n")]);
    let sources = |output: &Output| {
        let events = events(output);
        let made = events.iter().find(|event| event["event"]["type"] == "prompt.made");
        made.map(|made| made["event"]["sources"].as_array().map_or(0, Vec::len))
    };
    let untrusted = run(&place, &said("salve"), &["hi"]);
    assert_eq!(notices(&untrusted), ["\"untrusted\""]);
    let told = String::from_utf8_lossy(&untrusted.stderr);
    assert!(told.contains("; review them, then run `pintle trust "), "{told}");
    assert_eq!(sources(&untrusted), Some(0));

    let once = run(&place, &said("salve"), &["--trust", "hi"]);
    assert_eq!((notices(&once), sources(&once)), (Vec::new(), Some(2)));

    let trusted = place.command(&["trust"]).output().unwrap();
    assert!(trusted.status.success(), "{}", String::from_utf8_lossy(&trusted.stderr));
    let listed = place.command(&["trust", "--list"]).output().unwrap();
    let project = place.project().canonicalize().unwrap();
    assert_eq!(String::from_utf8(listed.stdout).unwrap().trim(), project.to_str().unwrap());
    let trusted = run(&place, &said("salve"), &["hi"]);
    assert_eq!((notices(&trusted), sources(&trusted)), (Vec::new(), Some(2)));

    assert!(place.command(&["trust", "--revoke"]).status().unwrap().success());
    assert_eq!(notices(&run(&place, &said("salve"), &["hi"])), ["\"untrusted\""]);
}

#[test]
fn answers_of_several_programs_are_all_kept_and_a_full_disk_loses_none() {
    const PROGRAMS: usize = 12;
    let place = Place::untrusted(&[]);
    let folders: Vec<_> = (0..PROGRAMS).map(|at| place.path(&format!("f{at}"))).collect();
    let trust = |folder: &Path| {
        fs::create_dir_all(folder).unwrap();
        place.command(&["trust", folder.to_str().unwrap()]).spawn().unwrap()
    };
    let programs: Vec<_> = folders.iter().map(|folder| trust(folder)).collect();
    for mut program in programs {
        assert!(program.wait().unwrap().success());
    }
    let listed = || {
        let output = place.command(&["trust", "--list"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let mut want: Vec<_> = folders.iter().map(|at| at.canonicalize().unwrap()).collect();
    want.sort();
    let mut kept = listed();
    kept.sort();
    assert_eq!(kept, want.iter().map(|at| at.to_str().unwrap()).collect::<Vec<_>>());

    let output = place.limited_command(0, &["trust", place.project().to_str().unwrap()]).output();
    let output = output.unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && words.contains("failed to save the answer"), "{words}");
    assert_eq!(listed().len(), PROGRAMS);
    let left = fs::read_dir(place.home()).unwrap().flatten();
    let left: Vec<_> =
        left.filter(|entry| entry.file_name().to_string_lossy().starts_with(".trust")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_stored_session_never_gets_wider_by_being_opened() {
    let place = Place::untrusted(&[]);
    let made = run(&place, &said("hello"), &["--permission", "full", "hi"]);
    let id = events(&made)[0]["sessionId"].as_str().unwrap().to_owned();
    // Made with `full` and opened with `ask`: nobody can answer, so the command does not run.
    let asked = run(&place, &bash("touch ran"), &["--permission", "ask", "--session", &id, "go"]);
    assert!(result(&asked).0 && !place.project().join("ran").exists());

    let made = run(&place, &said("hello"), &["--permission", "ask", "hi"]);
    let id = events(&made)[0]["sessionId"].as_str().unwrap().to_owned();
    let opened = run(&place, &bash("touch ran"), &["--permission", "full", "--session", &id, "go"]);
    assert!(result(&opened).0 && !place.project().join("ran").exists());
    assert_eq!(notices(&opened), ["\"permissionModeKept\""]);
}

#[test]
fn a_projects_rules_hold_once_a_person_trusts_it() {
    let rules = "[[rules]]\ndecision = \"deny\"\nargv = [\"cat\", \"**\"]\n\n\
        [[rules]]\ndecision = \"allow\"\nargv = [\"touch\", \"ran\"]\n";
    let wrong = "[[rules]]\ndecision = \"deny\"\nargs = [\"cat\"]\n";
    let file = ".pintle/permissions.toml";
    // The file, the command, and whether it runs: without trust, and with it.
    let rows = [
        ("a rule that denies", rules, "cat a.txt", [true, false]),
        ("a rule that allows", rules, "touch ran", [false, true]),
        ("a file that makes no sense restricts all", wrong, "cat a.txt", [true, false]),
    ];
    for (name, text, command, want) in rows {
        let place = Place::untrusted(&[(file, text), ("a.txt", "one\n"), ("sub/b.txt", "b\n")]);
        git(&place.project(), &["init", "-q"]);
        let ran = |args: &[&str]| {
            let args = [&["--permission", "ask"], args, &["go"]].concat();
            let output = run(&place, &bash(command), &args);
            (!result(&output).0, notices(&output))
        };
        let (untrusted, told) = ran(&[]);
        assert_eq!((untrusted, told), (want[0], vec!["\"untrusted\"".to_owned()]), "{name}");
        let (trusted, told) = ran(&["--trust"]);
        assert_eq!(trusted, want[1], "{name}");
        let problems: &[&str] = if text == wrong { &["\"projectRules\""] } else { &[] };
        assert_eq!(told, problems, "{name}");
        // They hold in the whole repository.
        let below = ran(&["-C", "sub", "--trust"]).0;
        assert!(below == want[1] || command.ends_with("a.txt"), "{name}");
    }
    let place = Place::new(&[(file, wrong)]);
    let explained = place.command(&["policy", "explain", "ls"]).output().unwrap();
    let text = String::from_utf8(explained.stdout).unwrap();
    assert!(text.contains("args") && text.contains("until it is fixed"), "{text}");
}

#[test]
fn what_a_person_lets_out_of_the_sandbox_runs_there_again() {
    let place = Place::new(&[]);
    let doctor = place.command(&["doctor"]).output().unwrap();
    if !String::from_utf8_lossy(&doctor.stdout).contains("full: Landlock") {
        return skipped("there is no full sandbox here");
    }
    let folder = place.project();
    git(&folder, &["init", "-q"]);
    git(&folder, &["config", "user.name", "a"]);
    git(&folder, &["config", "user.email", "a@b"]);
    let commit = |name: &str| json!({"blocks": [{"tool": "bash", "arguments": {"command": format!("git commit -q --allow-empty -m {name}")}}]});
    let done = json!({"blocks": [{"text": "done"}]});
    // In ask mode it is asked about at once, in auto-edit mode once it failed in the sandbox.
    for (mode, option, label, calls) in [
        (
            "ask",
            "allow-session",
            "Allow `git commit **` for this session, outside the sandbox",
            ["a1", "a2"],
        ),
        (
            "auto-edit",
            "allow-session",
            "Allow `git commit **` for this session, outside the sandbox",
            ["b1", "b2"],
        ),
        (
            "ask",
            "allow-project",
            "Allow `git commit **` always in this project, outside the sandbox",
            ["c1", "c2"],
        ),
    ] {
        let [first, second] = calls;
        let mut replies = vec![commit(first), commit(second), done.clone()];
        if mode == "auto-edit" {
            replies.insert(0, commit(first));
        }
        let script = place.script(&json!({"replies": replies}));
        let args = ["serve", "--permission", mode, "--script", &script];
        let mut program = Program::start(place.engine(&args), Framing::Lines);
        program.initialize();
        program.ask("session/create", json!({}));
        program.prompt("go");
        let asked = program.until(|message| message["method"] == "approval/request");
        let options = asked["params"]["options"].as_array().unwrap();
        let chosen = options.iter().find(|one| one["optionId"] == option);
        let chosen = chosen.unwrap_or_else(|| panic!("{asked:#}"));
        assert_eq!(chosen["label"], label);
        let rule = "allow `git commit **` outside the sandbox (sandbox = \"off\")";
        assert_eq!(chosen["rules"], json!([rule]));
        program.send(&json!({"id": asked["id"], "result": {"optionId": option}}));
        // The second runs unasked.
        program.until(|message| {
            assert_ne!(message["method"], "approval/request", "{message}");
            message["params"]["event"]["type"] == "turn.completed"
        });
        program.end_input();
        program.rest();
        let log = Command::new("git").args(["log", "--format=%s"]).current_dir(&folder).output();
        let log = String::from_utf8(log.unwrap().stdout).unwrap();
        assert!(log.starts_with(&format!("{second}\n{first}\n")), "{mode}: {log}");
    }
    // An answer for always is kept, and holds in another program.
    let listed = place.command(&["trust", "--list"]).output().unwrap();
    assert!(String::from_utf8_lossy(&listed.stdout).contains("git commit **` outside the sandbox"));
    let ran = run(&place, &bash("git commit -q --allow-empty -m later && echo done"), &["go"]);
    assert!(result(&ran).1.contains("done"), "{:?}", result(&ran));
}

#[test]
fn git_is_asked_in_the_sandbox() {
    let place = Place::new(&[]);
    let folder = place.project();
    repository(&folder);
    fs::remove_file(folder.join(".gitattributes")).unwrap();
    // A git that leaves a trace, as a program would that the repository's settings name in a way nobody thought of.
    let programs = place.home().join("bin");
    fs::create_dir_all(&programs).unwrap();
    let fake = programs.join("git");
    let path = std::env::var("PATH").unwrap();
    let trace = folder.join("trace");
    let text = format!("#!/bin/sh\necho x > {}\nPATH={path}\nexec git \"$@\"\n", trace.display());
    fs::write(&fake, text).unwrap();
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    let script = place.script(&said("hello"));
    let run = |sandbox: &str| {
        let args = ["run", "--script", &script, "--permission", "full", "--sandbox", sandbox, "hi"];
        let mut command = place.command(&args);
        command.env("PATH", format!("{}:{path}", programs.display()));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run("auto");
    let told = place.home_contains("changed files: 1, untracked: 0");
    let doctor = place.command(&["doctor"]).output().unwrap();
    let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
    if doctor.contains("full: Landlock") {
        assert!(!trace.exists() && told, "{doctor}");
    } else {
        skipped(&format!("this kernel has no full sandbox: {doctor}"));
    }
    run("off");
    assert!(trace.exists(), "without a sandbox the trace is left");
}

#[test]
fn secrets_are_read_by_nobody() {
    let place = Place::untrusted(&[("a.txt", "one\n")]);
    // The user's home is the folder around that of the engine.
    let keys = place.home().parent().unwrap().join(".ssh");
    fs::create_dir_all(&keys).unwrap();
    fs::write(keys.join("id_rsa"), "the key\n").unwrap();
    std::os::unix::fs::symlink(&keys, place.project().join("link")).unwrap();
    let path = keys.join("id_rsa");
    let path = path.to_str().unwrap();
    for mode in ["ask", "auto-edit"] {
        for call in [
            json!({"tool": "read", "arguments": {"path": path}}),
            json!({"tool": "read", "arguments": {"path": "link/id_rsa"}}),
            json!({"tool": "grep", "arguments": {"pattern": "key", "path": keys}}),
            json!({"tool": "bash", "arguments": {"command": format!("cat {path}")}}),
            json!({"tool": "bash", "arguments": {"command": "cat link/id_rsa"}}),
            json!({"tool": "bash", "arguments": {"command": format!("python3 -c 'print(open(\"{path}\").read())'")}}),
            json!({"tool": "write", "arguments": {"path": path, "content": "x"}}),
        ] {
            let replies = json!({"replies": [{"blocks": [call]}, {"blocks": [{"text": "done"}]}]});
            let (_, text) = result(&run(&place, &replies, &["--permission", mode, "go"]));
            assert!(!text.contains("the key"), "{mode} {call}: {text}");
        }
        assert_eq!(fs::read_to_string(path).unwrap(), "the key\n");
    }
}

/// A search of a folder names none of the files in it.
#[test]
fn a_search_of_a_folder_leaves_out_the_files_that_must_not_be_read() {
    let place = Place::new(&[
        ("a.txt", "the key\n"),
        ("plans.txt", "the key\n"),
        ("kept/notes.txt", "the key\n"),
        ("keys/id_rsa", "the key\n"),
        (".ssh/config", "the key\n"),
        (".netrc", "the key\n"),
    ]);
    let rules = "[[rules]]\ndecision = \"deny\"\npath = \"plans.txt\"\n\
        [[rules]]\ndecision = \"ask\"\npath = \"kept/**\"\n";
    let config = place.home().join("config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, rules).unwrap();
    let calls = [
        (
            "script/x",
            json!({"tool": "grep", "arguments": {"pattern": "the key", "path": "."}}),
            "a.txt:1: the key\n\n[Files that contain secrets or are protected by a permission rule were omitted]",
        ),
        (
            "script/gemini-3-pro",
            json!({"tool": "read_many_files", "arguments": {"paths": ["**/*", "*"]}}),
            "==> a.txt <==\nthe key\n\n",
        ),
        // A name is listed where its folder may be listed.
        (
            "script/x",
            json!({"tool": "find", "arguments": {"pattern": "*", "path": "."}}),
            ".netrc\n.ssh/\na.txt\nkept/\nkept/notes.txt\nkeys/\nkeys/id_rsa\nplans.txt\n\n[Files that contain secrets",
        ),
        (
            "script/gpt-5",
            json!({"tool": "list_dir", "arguments": {"path": ".", "depth": 2}}),
            ".netrc\n.ssh/\na.txt\nkept/\nkept/notes.txt\nkeys/\nkeys/id_rsa\nplans.txt\n\n[Files that contain secrets",
        ),
        // Nothing is said where nothing was left out.
        (
            "script/x",
            json!({"tool": "grep", "arguments": {"pattern": "the key", "path": ".", "glob": "a.*"}}),
            "a.txt:1: the key",
        ),
    ];
    for (model, call, want) in calls {
        let replies = json!({"replies": [{"blocks": [call]}, {"blocks": [{"text": "done"}]}]});
        let script = place.script(&replies);
        let args = ["run", "--script", &script, "--model", model];
        let args = [&args[..], &["--permission", "ask", "--format", "events", "go"]].concat();
        let mut command = place.command(&args);
        // The person works in the home folder itself.
        command.env("HOME", place.project());
        let (is_error, text) = result(&command.output().unwrap());
        assert!(!is_error && text.starts_with(want), "{call}: {text}");
        let lists = call["tool"] == "find" || call["tool"] == "list_dir";
        let unseen = [".ssh/config", "notes.txt", ".netrc", "plans.txt", "id_rsa"];
        for name in &unseen[..if lists { 1 } else { unseen.len() }] {
            assert!(!text.contains(name), "{call}: {text}");
        }
    }
}

#[test]
fn policy_explains_and_tests_commands() {
    let rule = "[[rules]]\ndecision = \"deny\"\nargv = [\"git\", \"push\", \"**\"]\n";
    let place = Place::untrusted(&[
        ("rows", "allow ls\nask make\ndeny git push\n"),
        ("wrong", "allow make\n"),
    ]);
    let config = place.home().join("config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, rule).unwrap();
    let explain =
        place.command(&["policy", "explain", "ls && git push \u{1b}[8m"]).output().unwrap();
    let text = String::from_utf8(explain.stdout).unwrap();
    assert!(text.contains("ask: decided by the rule") && !text.contains('\u{1b}'), "{text}");
    let test = |file| place.command(&["policy", "test", file]).output().unwrap();
    assert_eq!(test("rows").status.code(), Some(0), "{:?}", test("rows"));
    assert_eq!(test("wrong").status.code(), Some(1));
}

#[test]
fn a_command_reaches_the_hosts_that_rules_allow() {
    // bash is a client of HTTP that is always there.
    let get = "u=${http_proxy#http://}; exec 3<>/dev/tcp/127.0.0.1/${u##*:}\n\
        a=$(printf %s ${u%@*} | base64 -w0)\n\
        printf \"GET http://127.0.0.1:$1/ HTTP/1.0\\r\\nProxy-Authorization: Basic $a\\r\\n\\r\\n\" >&3\n\
        grep -o arrived <&3\n";
    let place = Place::untrusted(&[("get.sh", get)]);
    let doctor = place.command(&["doctor"]).output().unwrap();
    let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
    if !doctor.contains("seccomp, namespaces") {
        skipped(&doctor);
        return;
    }
    let (allowed, other, denied) = (always("arrived"), always("arrived"), always("arrived"));
    let rules = format!(
        "[[rules]]\ndecision = \"allow\"\nhost = \"127.0.0.1:{allowed}\"\n\
         [[rules]]\ndecision = \"allow\"\nhost = \"127.0.0.1:{denied}\"\n\
         [[rules]]\ndecision = \"deny\"\nhost = \"*:{denied}\"\n"
    );
    let config = place.home().join("config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, rules).unwrap();
    let call = |port: u16| {
        let replies = bash(&format!("bash get.sh {port}"));
        run(&place, &replies, &["--permission", "auto-edit", "go"])
    };
    let whole = |output: &Output| {
        let events = events(output);
        let done = events.iter().find(|event| !event["event"]["item"]["output"].is_null()).unwrap();
        done["event"]["item"]["output"].clone()
    };
    assert_eq!(result(&call(allowed)), (false, "arrived\n".to_owned()));
    let output = whole(&call(other));
    let host = format!("127.0.0.1:{other}");
    assert_eq!(output["details"]["sandbox"]["refusedHosts"], json!([host]), "{output:#}");
    assert_eq!(output["details"]["sandbox"]["denied"], true);
    let text = output["content"].to_string();
    let rule = format!(r#"decision = \"allow\", host = \"{host}\""#);
    assert!(text.contains(&rule), "{text}");
    let text = whole(&call(denied))["content"].to_string();
    let by = format!("the rule \u{201c}deny host `*:{denied}`\u{201d} of your configuration");
    assert!(text.contains(&by), "{text}");
}
