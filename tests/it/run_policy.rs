//! The permissions of `pintle run`: its modes, the file of `--policy`, and denials that name what would have allowed the call.

use crate::support::program::Place;
use crate::support::skipped;
use pintle_exec::sandbox::probe;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;

fn tool(name: &str, arguments: Value) -> Value {
    json!({"blocks": [{"tool": name, "arguments": arguments}]})
}

fn bash(command: &str) -> Value {
    tool("bash", json!({"command": command}))
}

fn write(path: &str) -> Value {
    tool("write", json!({"path": path, "content": "x"}))
}

struct Ended {
    code: i32,
    result: Value,
    said: String,
}

fn run(place: &Place, call: Value, args: &[&str]) -> Ended {
    run_all(place, vec![call], args)
}

/// The same with several calls, one after another.
fn run_all(place: &Place, mut replies: Vec<Value>, args: &[&str]) -> Ended {
    replies.push(json!({"blocks": [{"text": "done"}]}));
    let script = place.script(&json!({"replies": replies}));
    let args = [&["run", "go", "--quiet", "--format", "json", "--script", &script], args].concat();
    let out = place.command(&args).stdin(Stdio::null()).output().unwrap();
    Ended {
        code: out.status.code().unwrap(),
        result: serde_json::from_slice(&out.stdout).unwrap_or_default(),
        said: String::from_utf8_lossy(&out.stderr).into_owned(),
    }
}

/// True where this machine has a sandbox that can be relied on.
fn has_sandbox(place: &Place) -> bool {
    let out = place.command(&["doctor"]).output().unwrap();
    String::from_utf8_lossy(&out.stdout).contains("full: Landlock")
}

#[test]
fn a_run_edits_the_workspace_by_itself_and_nothing_else() {
    let place = Place::new(&[]);
    let outside = place.folder().join("outside.txt");
    let outside = outside.to_str().unwrap();
    for (call, args, code) in [
        (write("made.txt"), &[][..], 0),
        (write("edited.txt"), &["--permission", "auto-edit"], 0),
        (write("more.txt"), &["--permission", "read-only"], 4),
        (write("more.txt"), &["--permission", "ask"], 4),
        (write(outside), &[], 4),
        (write(".git/hooks/pre-commit"), &[], 4),
        (write(outside), &["--permission", "full"], 0),
    ] {
        let ended = run(&place, call.clone(), args);
        assert_eq!(ended.code, code, "{call} {args:?}: {} {}", ended.result, ended.said);
    }
    // A mode of the configuration is not replaced by that of the command.
    std::fs::write(place.home().join("config.toml"), "permission_mode = \"ask\"\n").unwrap();
    assert_eq!(run(&place, write("more.txt"), &[]).code, 4);
}

#[test]
fn commands_of_a_run_are_confined_and_have_no_network() {
    let place = Place::new(&[]);
    if !has_sandbox(&place) {
        return skipped("there is no full sandbox here");
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let outside = place.folder().join("outside.txt");
    let command = format!(
        "echo in > in.txt; echo out > {}; exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached > net.txt",
        outside.display()
    );
    // In the analysis of the command the file outside is seen; behind a program it is not.
    std::fs::write(place.path("do.sh"), command).unwrap();
    let ended = run(&place, bash("bash do.sh"), &[]);
    assert_eq!(ended.code, 0, "{} {}", ended.result, ended.said);
    assert!(place.path("in.txt").exists(), "{}", ended.result);
    assert!(!outside.exists() && !place.path("net.txt").exists(), "{}", ended.result);
}

/// Makes the call of a row.
type Call<'a> = &'a dyn Fn(&Place) -> Value;

#[test]
fn a_denial_names_the_flag_or_the_rule_that_would_have_allowed_it() {
    let deny = "[[rules]]\ndecision = \"deny\"\nargv = [\"touch\", \"**\"]\n";
    let ask = "[[rules]]\ndecision = \"ask\"\nkind = \"write\"\npath = \"*.lock\"\n";
    let outside = |place: &Place| place.folder().join("outside.txt").to_str().unwrap().to_owned();
    let rows: [(&str, &str, Call<'_>, &[&str], &str); 9] = [
        (
            "changes, read-only",
            "",
            &|_| write("a"),
            &["--permission", "read-only"],
            "--permission auto-edit would have allowed it",
        ),
        (
            "changes, ask",
            "",
            &|_| write("a"),
            &["--permission", "ask"],
            "--permission auto-edit would have allowed it",
        ),
        (
            "elsewhere",
            "",
            &|place| write(&outside(place)),
            &[],
            "a rule would have allowed it: allow write path `/",
        ),
        (
            "elsewhere, read-only",
            "",
            &|place| write(&outside(place)),
            &["--permission", "read-only"],
            "--permission auto-edit and a rule would have allowed it: allow write path `/",
        ),
        (
            "a command, unconfined",
            "",
            &|_| bash("touch a"),
            &["--sandbox", "off"],
            "a rule would have allowed it: allow `touch **`",
        ),
        (
            "a command that is not understood",
            "",
            &|_| bash("eval \"$X\""),
            &["--sandbox", "off"],
            "--permission full would have allowed it",
        ),
        (
            "a rule that denies",
            deny,
            &|_| bash("touch a"),
            &["--permission", "full"],
            "decided by the rule \u{201c}deny `touch **`\u{201d} of your configuration",
        ),
        (
            "a rule that asks",
            ask,
            &|_| write("a.lock"),
            &[],
            "decided by the rule \u{201c}ask write path `*.lock`\u{201d} of your configuration",
        ),
        (
            "a secret",
            "",
            &|_| tool("read", json!({"path": "../home/config.toml"})),
            &["--permission", "full"],
            "",
        ),
    ];
    for (name, config, call, args, hint) in rows {
        let place = Place::new(&[]);
        std::fs::write(place.home().join("config.toml"), config).unwrap();
        let Ended { code, result, said } = run(&place, call(&place), args);
        assert_eq!(code, 4, "{name}: {result} {said}");
        let got = result["denials"][0]["hint"].as_str().unwrap_or_default();
        assert!(got.starts_with(hint) && got.is_empty() == hint.is_empty(), "{name}: {result}");
        let Some(way) = got.strip_suffix("would have allowed it") else { continue };
        // What is named does allow it.
        let args: Vec<&str> = way
            .split_whitespace()
            .chain(args.iter().copied().filter(|arg| arg.starts_with("--sandbox") || *arg == "off"))
            .collect();
        assert_eq!(run(&place, call(&place), &args).code, 0, "{name}: {args:?}");
    }
}

#[test]
fn a_rule_that_a_denial_names_allows_the_call_in_a_policy() {
    let place = Place::new(&[]);
    let outside = place.folder().join("outside.txt");
    let denied = run(&place, write(outside.to_str().unwrap()), &[]);
    let hint = denied.result["denials"][0]["hint"].as_str().unwrap().to_owned();
    let path = hint.split('`').nth(1).unwrap();
    let policy = format!("[[rules]]\ndecision = \"allow\"\nkind = \"write\"\npath = '{path}'\n");
    std::fs::write(place.path("policy.toml"), policy).unwrap();
    let ended = run(&place, write(outside.to_str().unwrap()), &["--policy", "policy.toml"]);
    assert_eq!(ended.code, 0, "{hint}: {}", ended.result);
}

/// A repository with a commit, in which commits have an author.
fn with_repository(files: &[(&str, &str)]) -> Place {
    let place = Place::new(files);
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        let done = command.args(args).current_dir(place.project()).output().unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    git(&["init", "-q"]);
    git(&["config", "user.name", "a"]);
    git(&["config", "user.email", "a@b"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    place
}

#[test]
fn a_rule_lets_commands_of_a_run_out_of_the_sandbox() {
    if !has_sandbox(&Place::new(&[])) {
        return skipped("there is no full sandbox here");
    }
    let rules = |sandbox: &str| {
        let rule = |word| {
            let argv = format!("argv = [\"git\", \"{word}\", \"**\"]");
            format!("[[rules]]\ndecision = \"allow\"\n{argv}\n{sandbox}\n")
        };
        [rule("add"), rule("commit")].concat()
    };
    let off = &rules("sandbox = \"off\"");
    let commit = "echo x > x.txt && mkdir -p sub; cd sub && git add -A .. && git commit -qm made";
    let whole =
        "echo x > x.txt && git add -A && git commit -qm made; echo \"rc=$?\"; git log | wc -l";
    // A rule that lets out, and where it stands; the command, more options, and whether the commit is made.
    for (name, place, text, command, args, want) in [
        ("configuration", "home/config.toml", off, whole, &["--permission", "auto-edit"][..], true),
        ("a policy", "project/policy.toml", off, whole, &["--policy", "policy.toml"], true),
        ("answers", "home/trust.toml", off, whole, &[], true),
        (
            "in ask mode",
            "home/config.toml",
            off,
            "git commit --allow-empty -qm made",
            &["--permission", "ask"],
            true,
        ),
        ("a rule without it", "home/config.toml", &rules(""), whole, &[], false),
        ("a project's own", "project/.pintle/permissions.toml", off, whole, &[], false),
        ("required", "home/config.toml", off, whole, &["--sandbox", "required"], false),
        ("a part is not covered", "home/config.toml", off, commit, &[], false),
    ] {
        let at = with_repository(&[(".pintle/x", "")]);
        let file = match place.split_once('/').unwrap() {
            ("home", name) => at.home().join(name),
            (_, name) => at.path(name),
        };
        // The file of answers names the project as trusted.
        let before = std::fs::read_to_string(&file).unwrap_or_default();
        std::fs::write(file, format!("{before}\n{text}")).unwrap();
        let ended = run(&at, bash(command), args);
        let log = std::process::Command::new("git")
            .args(["log", "--format=%s"])
            .current_dir(at.project())
            .output()
            .unwrap();
        let log = String::from_utf8(log.stdout).unwrap();
        assert_eq!(log.starts_with("made"), want, "{name}: {log} {} {}", ended.result, ended.said);
        let text = at.journal_if_any().map(|path| std::fs::read_to_string(path).unwrap());
        let is_told = text
            .unwrap_or_default()
            .contains("in a project file; it is only allowed in config.toml");
        assert_eq!(is_told, name == "a project's own", "{name}");
    }
}

#[test]
fn a_denial_names_the_rule_that_lets_the_command_out_of_the_sandbox() {
    if !has_sandbox(&Place::new(&[])) {
        return skipped("there is no full sandbox here");
    }
    let commit = || bash("git commit -q --allow-empty -m made");
    let out = "allow `git commit **` outside the sandbox (sandbox = \"off\")";
    for (name, calls, args, way) in [
        ("a git command in the sandbox", vec![commit()], &[][..], "a rule"),
        ("asked at once", vec![commit()], &["--permission", "ask"], "a rule"),
        (
            "read-only",
            vec![commit()],
            &["--permission", "read-only"],
            "--permission auto-edit and a rule",
        ),
    ] {
        let place = with_repository(&[]);
        let ended = run_all(&place, calls, args);
        assert_eq!(ended.code, 4, "{name}: {} {}", ended.result, ended.said);
        let want = format!("{way} would have allowed it: {out}");
        assert_eq!(ended.result["denials"][0]["hint"], want, "{name}");
    }
    // It does, and it is explained.
    let place = with_repository(&[]);
    let explain = |args: &[&str]| {
        let args = [&["policy", "explain", "git commit -m x"], args].concat();
        let output = place.command(&args).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let text = explain(&["--permission", "auto-edit"]);
    let (told, rule) = text.split_once("[[rules]]").unwrap();
    let why = "changes the git repository itself, which the sandbox protects";
    assert!(told.contains(why) && rule.contains("sandbox = \"off\""), "{text}");
    std::fs::write(place.home().join("config.toml"), format!("[[rules]]{rule}")).unwrap();
    let text = explain(&["--permission", "auto-edit"]);
    assert!(text.contains(out) && text.contains("runs outside the sandbox"), "{text}");
    assert_eq!(run(&place, commit(), &[]).code, 0);
}

#[test]
fn a_policy_says_the_mode_the_tools_and_the_rules() {
    let place = Place::new(&[]);
    let policy = |text: &str| std::fs::write(place.path("policy.toml"), text).unwrap();
    let rule = "[[rules]]\ndecision = \"deny\"\nkind = \"write\"\npath = \"*.lock\"\n";
    for (text, call, args, code) in [
        ("permission_mode = \"read-only\"", write("a"), &[][..], 4),
        ("permission_mode = \"edit\"", write("a"), &[], 0),
        (rule, write("a"), &[], 0),
        (rule, write("a.lock"), &["--permission", "full"], 4),
        ("", write("a"), &["--permission", "read-only"], 4),
    ] {
        policy(text);
        let ended = run(&place, call.clone(), &[&["--policy", "policy.toml"], args].concat());
        assert_eq!(ended.code, code, "{text} {call}: {} {}", ended.result, ended.said);
        if text == rule && code == 4 {
            let hint = ended.result["denials"][0]["hint"].as_str().unwrap();
            assert!(hint.contains("of this run's policy"), "{hint}");
        }
    }
    policy("tools = [\"read\"]\n");
    let ended = run(&place, write("b"), &["--policy", "policy.toml"]);
    assert!(!place.path("b").exists(), "{}", ended.result);
    for (text, args, want) in [
        (
            "permission_mode = \"edit\"",
            &["--permission", "full"][..],
            "both set the mode: remove one",
        ),
        ("permission_mode = \"edit\"", &["--untrusted"], "--untrusted is read-only"),
        (
            "[[rules]]\ndecision = \"allow\"\nargv = [\"make\"]\n",
            &["--untrusted"],
            "--untrusted conflicts with an allow rule",
        ),
        ("mode = \"edit\"", &[], "unknown field"),
        ("tools = [\"look\"]", &[], "unknown tool `look`"),
    ] {
        policy(text);
        let ended = run(&place, write("a"), &[&["--policy", "policy.toml"], args].concat());
        assert_eq!(ended.code, 2, "{text}: {}", ended.said);
        assert!(ended.said.contains(want), "{text}: {}", ended.said);
    }
    assert!(run(&place, write("a"), &["--policy", "nowhere.toml"]).said.contains("nowhere.toml"));
    // The same file is tried without a model.
    policy(
        "permission_mode = \"edit\"\n[[rules]]\ndecision = \"deny\"\nargv = [\"touch\", \"**\"]\n",
    );
    std::fs::write(place.path("rows.txt"), "deny touch a\nallow ls\n").unwrap();
    let args = ["policy", "test", "rows.txt", "--policy", "policy.toml"];
    let out = place.command(&args).output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stdout));
}

#[tokio::test]
async fn what_the_sandbox_kept_from_a_command_is_told_with_the_way_on() {
    const RULE: &str = "[[rules]]\ndecision = \"deny\"\nkind = \"write\"\npath = \"notes.txt\"\n";
    if !probe(Path::new(env!("CARGO_BIN_EXE_pintle"))).await.is_full() {
        return skipped("no full sandbox");
    }
    for (script, want) in [
        ("touch .git/x", "from changing the git repository itself: HERE/.git/x. Git commands"),
        ("touch notes.txt", "from changing protected files: HERE/notes.txt. They control"),
        ("touch sub/.envrc", "from changing protected files: HERE/sub/.envrc. They control"),
    ] {
        let files = [(".git/HEAD", "ref: refs/heads/main\n"), ("sub/a.txt", ""), ("x.sh", script)];
        let place = Place::new(&files);
        std::fs::write(place.home().join("config.toml"), RULE).unwrap();
        run(&place, bash("bash x.sh; true"), &["--permission", "auto-edit"]);
        let journal = std::fs::read_to_string(place.journal()).unwrap();
        let want = want.replace("HERE", place.project().to_str().unwrap());
        assert!(journal.contains(&want), "{script}: {want}: {}", &journal[journal.len() - 2_000..]);
    }
}

/// A rule about files holds for whatever a confined command does with them.
#[tokio::test]
async fn a_denied_file_is_neither_changed_nor_read_behind_a_script() {
    const RULES: &str = "[[rules]]\ndecision = \"deny\"\nkind = \"write\"\npath = \"notes.txt\"\n\n\
        [[rules]]\ndecision = \"ask\"\nkind = \"write\"\npath = \"data/**\"\n\n\
        [[rules]]\ndecision = \"deny\"\nkind = \"read\"\npath = \"sub/hidden.txt\"\n";
    if !probe(Path::new(env!("CARGO_BIN_EXE_pintle"))).await.is_full() {
        return skipped("no full sandbox");
    }
    for (script, is_done) in [
        ("echo two > notes.txt", false),
        ("echo two >> ./notes.txt", false),
        ("rm notes.txt", false),
        ("mv notes.txt other.txt", false),
        ("mv a.txt notes.txt", false),
        ("ln notes.txt other.txt && echo two > other.txt", false),
        ("ln -s notes.txt other.txt && echo two > other.txt", false),
        ("sed -i s/one/two/ notes.txt", false),
        ("python3 -c 'open(\"notes.txt\", \"w\").write(\"two\")'", false),
        ("chmod 777 notes.txt", false),
        ("echo two > data/one.txt", false),
        ("rm -r data", false),
        ("mv data other.txt", false),
        ("echo two > data/new.txt", false),
        ("grep -q one sub/hidden.txt", false),
        ("cat < sub/hidden.txt | grep -q one", false),
        ("cp sub/hidden.txt other.txt && grep -q one other.txt", false),
        ("cat notes.txt data/one.txt", true),
        ("echo two > a.txt && echo two > sub/notes.txt && mkdir new && mv new newer", true),
    ] {
        let files = [
            ("a.txt", "one\n"),
            ("notes.txt", "one\n"),
            ("data/one.txt", "one\n"),
            ("sub/hidden.txt", "one\n"),
            ("x.sh", script),
        ];
        let place = Place::new(&files);
        std::fs::write(place.home().join("config.toml"), RULES).unwrap();
        run(&place, bash("bash x.sh && touch done"), &["--permission", "auto-edit"]);
        assert_eq!(place.path("done").exists(), is_done, "{script}");
        for name in ["notes.txt", "data/one.txt", "sub/hidden.txt"] {
            let text = std::fs::read_to_string(place.path(name)).unwrap_or_default();
            assert_eq!(text, "one\n", "{script}: {name}");
        }
        assert!(!place.path("data/new.txt").exists(), "{script}");
    }
}

/// What a rule denies is not started either by what a command starts, where the kernel tells of it.
#[tokio::test]
async fn a_denied_program_is_not_started_behind_a_script() {
    const RULES: &str = "[[rules]]\ndecision = \"deny\"\nargv = [\"touch\", \"**\"]\n\n\
        [[rules]]\ndecision = \"deny\"\nargv = [\"git\", \"push\", \"**\"]\n";
    if !probe(Path::new(env!("CARGO_BIN_EXE_pintle"))).await.is_full() {
        return skipped("no full sandbox");
    }
    for (script, denied) in [
        ("touch made", Some("touch made")),
        ("/usr/bin/touch made", Some("touch made")),
        ("x=touch; $x made", Some("touch made")),
        ("ln -s /usr/bin/touch t; ./t made", Some("touch made")),
        ("cp /usr/bin/touch t; (exec -a touch ./t made)", Some("touch made")),
        ("python3 -c 'import os; os.execvp(\"touch\", [\"x\", \"made\"])'", Some("touch made")),
        ("find . -name a.txt -exec touch made \\;", Some("touch made")),
        ("printf made | xargs touch", Some("touch made")),
        ("git push origin", Some("git push origin")),
        ("cp /usr/bin/touch t; ./t made", Some("touch made")),
        ("cat /usr/bin/touch > t; chmod +x t; ./t made", Some("touch made")),
        ("printf '#!/usr/bin/touch made\\n' > t; chmod +x t; ./t", Some("touch made")),
        ("cp /usr/bin/touch t; printf '#!./t made\\n' > u; chmod +x u; ./u", Some("touch made")),
        (
            "python3 -c 'import os; f = os.memfd_create(\"x\"); os.write(f, open(\"/usr/bin/touch\", \"rb\").read()); os.execve(f, [\"x\", \"made\"], {})'",
            Some("touch made"),
        ),
        (
            "python3 -c 'import os; f = os.memfd_create(\"x\"); os.write(f, open(\"/usr/bin/touch\", \"rb\").read()); os.execv(f\"/proc/self/fd/{f}\", [\"x\", \"made\"])'",
            Some("touch made"),
        ),
        ("/lib*/ld-linux-*.so.* /usr/bin/touch made", Some("touch made")),
        ("/lib*/ld-linux-*.so.* --argv0 x /usr/bin/touch made", Some("touch made")),
        ("\"$(git --exec-path)/git-push\" origin", Some("git push origin")),
        ("ln -s /usr/bin/touch t; /lib*/ld-linux-*.so.* ./t made", Some("touch made")),
        (
            "/lib*/ld-linux-*.so.* --library-path /lib --inhibit-cache /usr/bin/touch made",
            Some("touch made"),
        ),
        (
            "/lib*/ld-linux-*.so.* --inhibit-rpath x --glibc-hwcaps-prepend x --glibc-hwcaps-mask x /usr/bin/touch made",
            Some("touch made"),
        ),
        ("/lib*/ld-linux-*.so.* /proc/self/fd/9 made 9</usr/bin/touch", Some("touch made")),
        ("cp /lib*/ld-linux-*.so.* l; ./l /usr/bin/touch made", Some("touch made")),
        ("cp /lib*/ld-linux-*.so.* l; printf x >> l; ./l /usr/bin/touch made", Some("touch made")),
        ("cp /usr/bin/touch t; printf x >> t; ./t made", Some("touch made")),
        (
            "unshare -rm sh -c 'mount -t tmpfs t /mnt && cp /usr/bin/touch /mnt/t && /mnt/t made'",
            Some("touch made"),
        ),
        ("busybox touch made", Some("touch made")),
        ("cp $(command -v busybox) b; ./b touch made", Some("touch made")),
        ("cp a.txt made", None),
        ("git --version >/dev/null && cp a.txt made", None),
        ("sh -c 'cp a.txt made'", None),
        ("/lib*/ld-linux-*.so.* /bin/cp a.txt made", None),
        // Opening a pipe without a writer blocks.
        (
            "mkfifo p; exec 8<>p 9<p 8>&-; /lib*/ld-linux-*.so.* /bin/echo /proc/self/fd/9; cp a.txt made",
            None,
        ),
        ("ls -l /usr/bin/touch >&2; cat /usr/bin/touch > made", None),
    ] {
        if script.contains("busybox") && !Path::new("/usr/bin/busybox").exists() {
            skipped("no busybox");
            continue;
        }
        // Outside of the sandbox, too. Inside, nothing can be mounted.
        let modes = [
            &["--permission", "auto-edit"][..],
            &["--permission", "full"],
            &["--permission", "full", "--sandbox", "off"],
        ];
        for args in modes.into_iter().skip(usize::from(script.contains("unshare"))) {
            let place = Place::new(&[("a.txt", "one\n"), ("x.sh", script)]);
            std::fs::write(place.home().join("config.toml"), RULES).unwrap();
            run(&place, bash("bash x.sh"), args);
            let journal = std::fs::read_to_string(place.journal()).unwrap();
            let is_made = place.path("made").exists();
            assert_eq!(is_made, denied.is_none(), "{script} {args:?}");
            if let Some(denied) = denied {
                // A script's own path follows the words of its first line.
                let told = format!("[Not started, because the user's rules deny it: `{denied}");
                let end = journal.len().saturating_sub(3_000);
                assert!(journal.contains(&told), "{script} {args:?}: {}", &journal[end..]);
            }
        }
    }
}
