//! Files go back with the program: across tools, a shell command that does everything at once, and a person's own edits; and
//! going back is undone again.

use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

const COMMAND: &str = "echo more >> edit.txt; echo made > made.txt; rm gone.txt; mv old.txt new.txt; chmod 755 tool.sh; \
    printf 'a\\000b' > bin.dat; mkdir -p deep/er; echo x > deep/er/x";

fn script() -> Value {
    let call =
        |tool: &str, arguments: Value| json!({"blocks": [{"tool": tool, "arguments": arguments}]});
    let say = |text: &str| json!({"blocks": [{"text": text}]});
    let edit = json!({"path": "edit.txt", "oldText": "one", "newText": "won"});
    json!({"replies": [
        call("edit", edit),
        call("write", json!({"path": "written.txt", "content": "written\n"})),
        say("edited"),
        call("bash", json!({"command": COMMAND})),
        say("all done"),
    ]})
}

fn started(place: &Place) -> Program {
    let script = place.script(&script());
    let args = ["serve", "--permission", "full", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    program
}

fn bash(command: &str) -> Value {
    json!({"blocks": [{"tool": "bash", "arguments": {"command": command}}]})
}

/// What is in the folder: each path with its content and whether it can be run.
fn shown(place: &Place) -> Vec<String> {
    let root = place.path("");
    let mut all = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            let mark = if mode & 0o100 == 0 { "" } else { " (runs)" };
            let content = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            all.push(format!("{name}{mark}: {content:?}"));
        }
    }
    all.sort();
    all
}

/// The files of an answer, one word each.
fn fates(answer: &Value) -> String {
    let fate = |fate: &Value| {
        let path = fate["path"].as_str().unwrap();
        let name = path.rsplit('/').next().unwrap();
        format!("{name}:{}:{}", fate["owner"].as_str().unwrap(), fate["action"].as_str().unwrap())
    };
    answer["files"].as_array().unwrap().iter().map(fate).collect::<Vec<_>>().join(" ")
}

#[test]
fn files_go_back_across_a_command_and_forward_again() {
    let files = [
        ("edit.txt", "one\n"),
        ("gone.txt", "here\n"),
        ("old.txt", "named\n"),
        ("tool.sh", "echo hi\n"),
        ("yours.txt", "mine\n"),
    ];
    let place = Place::new(&files);
    fs::set_permissions(place.path("tool.sh"), Permissions::from_mode(0o644)).unwrap();
    let start = shown(&place);
    let mut program = started(&place);
    program.ask("session/create", json!({}));
    program.prompt("edit it");
    program.until_event("turn.completed");
    let edited = shown(&place);
    program.prompt("now all of it");
    program.until_event("turn.completed");
    let done = shown(&place);
    assert_eq!((start.len(), edited.len(), done.len()), (5, 6, 8), "{done:?}");

    let messages: Vec<Value> = program
        .seen
        .iter()
        .map(|message| &message["params"]["event"]["item"])
        .filter(|item| item["type"] == "userMessage")
        .map(|item| item["id"].clone())
        .collect();
    let back = |to: &Value, extra: Value| {
        let mut params = json!({"to": {"itemId": to}, "scope": "both"});
        params.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        params
    };
    let want = "bin.dat:agent:remove x:agent:remove edit.txt:agent:restore gone.txt:agent:restore made.txt:agent:remove \
        new.txt:agent:remove old.txt:agent:restore tool.sh:agent:restore";
    let dry = program.ask("session/rewind", back(&messages[1], json!({"dryRun": true})));
    assert_eq!(fates(&dry), want, "{dry}");
    assert_eq!(shown(&place), done, "nothing has happened");

    let answer = program.ask("session/rewind", back(&messages[1], json!({})));
    assert_eq!(fates(&answer), want);
    assert_eq!(answer["input"][0]["text"], "now all of it");
    assert_eq!(shown(&place), edited);

    // And forward again, also by another process.
    let from = answer["fromSeq"].clone();
    let session = program.ask("session/list", json!({}))["sessions"][0]["sessionId"].clone();
    program.end_input();
    program.wait();
    let mut program = started(&place);
    program.ask("session/open", json!({"sessionId": session}));
    let forth = json!({"sessionId": session, "to": {"seq": from}, "scope": "both"});
    let answer = program.ask("session/rewind", forth);
    assert_eq!(answer["restored"].as_array().unwrap().len(), 3, "{answer}");
    assert_eq!(shown(&place), done);

    // What a person wrote since stays, unless it is named.
    fs::write(place.path("edit.txt"), "by hand\n").unwrap();
    fs::write(place.path("yours.txt"), "mine too\n").unwrap();
    let to_start = |extra| {
        let mut params = back(&messages[0], extra);
        params["sessionId"] = session.clone();
        params["scope"] = json!("files");
        params
    };
    let answer = program.ask("session/rewind", to_start(json!({})));
    assert!(fates(&answer).contains("edit.txt:conflict:leave"), "{answer}");
    assert_eq!(
        (answer["dropped"].as_array().unwrap().len(), place.read("edit.txt")),
        (0, "by hand\n".to_owned())
    );
    let path = place.path("edit.txt").canonicalize().unwrap();
    let answer = program.ask("session/rewind", to_start(json!({"overwrite": [path]})));
    assert!(fates(&answer).contains("edit.txt:conflict:restore"), "{answer}");
    let mut want = start;
    want.retain(|file| !file.starts_with("yours"));
    want.push("yours.txt: \"mine too\\n\"".to_owned());
    assert_eq!(shown(&place), want);
}

#[test]
fn ignored_files_that_the_model_wrote_go_back_too() {
    let place = Place::new(&[(".gitignore", "*.log\n"), ("user.log", "user\n")]);
    let call =
        |tool: &str, arguments: Value| json!({"blocks": [{"tool": tool, "arguments": arguments}]});
    let script = place.script(&json!({"replies": [
        call("write", json!({"path": "a.log", "content": "one\n"})),
        call("bash", json!({"command": "true"})),
        call("bash", json!({"command": "echo two >> a.log; echo two >> user.log"})),
        {"blocks": [{"text": "done"}]},
    ]}));
    let args = ["serve", "--permission", "full", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    program.prompt("go");
    program.until_event("turn.completed");
    let events = program.seen.iter().map(|message| &message["params"]["event"]);
    let changes = events.filter(|event| event["type"] == "files.changed");
    let by: Vec<_> = changes.map(|event| event["by"]["type"].as_str().unwrap()).collect();
    assert_eq!(by, ["call", "call"], "nobody else");
    let answer = program.ask("session/rewind", json!({"to": {"seq": 1}, "scope": "files"}));
    assert_eq!(fates(&answer), "a.log:agent:remove");
    // What no tool named and no scan sees is nobody's business.
    assert_eq!(shown(&place), [".gitignore: \"*.log\\n\"", "user.log: \"user\\ntwo\\n\""]);
}

#[test]
fn what_a_job_changes_after_its_call_goes_back_too() {
    let place = Place::new(&[("a.txt", "one\n"), ("yours.txt", "one\n")]);
    let [first, second] = ["first", "second"].map(|gate| place.path(gate));
    for gate in [&first, &second] {
        nix::unistd::mkfifo(gate, nix::sys::stat::Mode::S_IRWXU).unwrap();
    }
    let call =
        |tool: &str, arguments: Value| json!({"blocks": [{"tool": tool, "arguments": arguments}]});
    let say = || json!({"blocks": [{"text": "done"}]});
    let command =
        "cat first; echo two >> a.txt; echo made > made.txt; cat second; echo three >> a.txt";
    let script = place.script(&json!({"replies": [
        call("bash", json!({"command": command, "background": true})),
        say(),
        call("job", json!({"action": "read", "id": "job-1"})),
        say(),
        bash("true"),
        say(),
        bash("true"),
        say(),
    ]}));
    let args = ["serve", "--permission", "auto-edit", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    program.prompt("start it");
    program.until_event("turn.completed");

    fs::write(place.path("yours.txt"), "mine\n").unwrap();
    fs::write(&first, "").unwrap();
    // Opening it waits until the job has got there.
    let gate = fs::OpenOptions::new().write(true).open(&second).unwrap();
    program.prompt("look at it");
    program.until_event("turn.completed");
    drop(gate);
    program.until(|message| {
        let event = &message["params"]["event"];
        event["type"] == "item.completed" && event["item"]["type"] == "job"
    });
    program.prompt("and now?");
    program.until_event("turn.completed");
    fs::write(place.path("made.txt"), "by hand\n").unwrap();
    program.prompt("and now?");
    program.until_event("turn.completed");

    for gate in [first, second] {
        fs::remove_file(gate).unwrap();
    }

    let events = program.seen.iter().map(|message| &message["params"]["event"]);
    let is_call = |event: &&Value| event["item"]["toolName"] == "bash";
    let started = events.clone().find(is_call).unwrap()["item"]["id"].clone();
    let shown_change = |event: &Value| {
        let names = event["changes"].as_array().unwrap().iter();
        let names =
            names.map(|change| change["path"].as_str().unwrap().rsplit('/').next().unwrap());
        let by = if event["by"]["itemId"] == started {
            "job"
        } else {
            event["by"]["type"].as_str().unwrap()
        };
        format!("{by}: {}", names.collect::<Vec<_>>().join(" "))
    };
    let changes = events.filter(|event| event["type"] == "files.changed").map(shown_change);
    let changes: Vec<String> = changes.collect();
    assert_eq!(changes, ["job: a.txt made.txt", "job: a.txt", "other: made.txt"]);
    let answer = program.ask("session/rewind", json!({"to": {"seq": 1}, "scope": "files"}));
    assert_eq!(fates(&answer), "a.txt:agent:restore made.txt:conflict:leave", "{answer}");
    assert_eq!(
        shown(&place),
        ["a.txt: \"one\\n\"", "made.txt: \"by hand\\n\"", "yours.txt: \"mine\\n\""]
    );
}

#[test]
fn only_contents_that_the_journal_names_are_kept() {
    let place = Place::new(&[
        ("a.txt", "one\n"),
        ("edit.txt", "one\n"),
        ("gone.txt", ""),
        ("old.txt", ""),
        ("tool.sh", ""),
        ("yours.txt", "mine\n"),
    ]);
    let mut program = started(&place);
    program.ask("session/create", json!({}));
    program.prompt("edit it");
    program.until_event("turn.completed");
    program.prompt("all");
    program.until_event("turn.completed");
    let blobs = place.journal().with_file_name("blobs");
    let count = || fs::read_dir(&blobs).unwrap().count();
    let open = count();
    program.end_input();
    program.wait();
    assert!(count() < open, "{} of {open}", count());
    let journal = fs::read_to_string(place.journal()).unwrap();
    for blob in fs::read_dir(&blobs).unwrap() {
        assert!(journal.contains(blob.unwrap().file_name().to_str().unwrap()));
    }
}

#[test]
fn where_nothing_can_be_kept_it_is_told_and_nothing_is_taken() {
    let place = Place::new(&[("edit.txt", "one\n")]);
    let mut program = started(&place);
    program.ask("session/create", json!({}));
    // As on a full disk: the folder of contents cannot be made.
    fs::write(place.journal().with_file_name("blobs"), "").unwrap();
    program.prompt("edit it");
    program.until_event("turn.completed");
    let notices = program
        .seen
        .iter()
        .filter(|message| message["params"]["event"]["code"] == "contentNotKept");
    assert_eq!(notices.count(), 1, "told once");
    let answer = program.ask("session/rewind", json!({"to": {"seq": 0}, "scope": "files"}));
    assert_eq!(fates(&answer), "edit.txt:agent:lost written.txt:agent:lost", "{answer}");
    assert_eq!(place.read("edit.txt"), "won\n");
    assert_eq!(place.read("written.txt"), "written\n");
}

#[test]
fn a_folder_that_takes_long_to_look_at_is_tracked_from_the_next_command_on() {
    let place = Place::new(&[("a.txt", "zero\n")]);
    // More than is read for one command; their content is nothing but a hole.
    for number in 0..14 {
        let file = fs::File::create(place.path(&format!("large{number}"))).unwrap();
        file.set_len(15 * 1024 * 1024).unwrap();
    }
    // The folder is looked at meanwhile; a busy machine is given more commands for it.
    let turns = 200;
    let turn = |number: usize| {
        [bash(&format!("echo {number} > a.txt")), json!({"blocks": [{"text": "done"}]})]
    };
    let replies: Vec<Value> = (0..turns).flat_map(turn).collect();
    let script = place.script(&json!({ "replies": replies }));
    let args = ["serve", "--permission", "full", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    let is_tracked = |message: &Value| {
        let event = &message["params"]["event"];
        event["type"] == "files.changed" && event["by"]["type"] == "call"
    };
    for number in 0..turns {
        program.prompt("go");
        assert_eq!(program.until_event("turn.completed")["status"], "completed");
        let count = program.seen.iter().filter(|message| is_tracked(message)).count();
        assert!(number > 0 || count == 0, "the first command was tracked");
        if count > 0 {
            break;
        }
    }
    let events = || program.seen.iter().map(|message| &message["params"]["event"]);
    let told = events().filter(|event| event["code"] == "commandsNotTracked").count();
    assert_eq!(told, 1, "told once");
    assert_eq!(program.seen.iter().filter(|message| is_tracked(message)).count(), 1);
    let answer = program.ask("session/rewind", json!({"to": {"seq": 0}, "scope": "files"}));
    assert_eq!(fates(&answer), "a.txt:agent:restore", "{answer}");
}

/// A large directory is watched between commands.
#[test]
fn what_commands_change_among_many_files_is_told_and_undone() {
    let place = Place::new(&[(".gitignore", "out\n")]);
    for number in 0..1500 {
        let path = place.path(&format!("{}/{number}", number % 15));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "zero\n").unwrap();
    }
    // Each command, with the files that it changes.
    let rows = [
        ("echo one > 1/1", "1/1"),
        ("true", ""),
        ("echo two > 1/1", "1/1"),
        ("cat 2/2", ""),
        ("rm 2/2", "2/2"),
        ("mv 3/3 3/new", "3/3 3/new"),
        ("mkdir -p more/deep && echo new > more/deep/file", "more/deep/file"),
        ("echo newer > more/deep/file", "more/deep/file"),
        ("mkdir -p out && echo made > out/file && ln 4/4 out/link && echo three > out/link", "4/4"),
        ("echo out > 5/5; chmod +x 5/20", "5/20 5/5"),
        ("mv 6 six", "6/6 6/21"),
        ("true", ""),
        ("echo four > out/link", "4/4"),
    ];
    let calls = rows.iter().map(|(command, _)| bash(command));
    let replies: Vec<Value> = calls.chain([json!({"blocks": [{"text": "done"}]})]).collect();
    let script = place.script(&json!({ "replies": replies }));
    let args = ["serve", "--permission", "full", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    program.prompt("go");
    assert_eq!(program.until_event("turn.completed")["status"], "completed");
    let top = place.path("").canonicalize().unwrap();
    let mut changed: Vec<String> = Vec::new();
    for message in &program.seen {
        let event = &message["params"]["event"];
        if event["type"] == "files.changed" {
            let paths = event["changes"].as_array().unwrap().iter().map(|change| {
                let path = std::path::Path::new(change["path"].as_str().unwrap());
                path.strip_prefix(&top).unwrap().to_str().unwrap().to_owned()
            });
            changed.push(paths.collect::<Vec<_>>().join(" "));
        }
    }
    let wanted = rows.iter().map(|(_, changed)| *changed).filter(|changed| !changed.is_empty());
    let wanted: Vec<&str> = wanted.collect();
    assert_eq!(changed.len(), wanted.len(), "{changed:?}");
    for (changed, wanted) in changed.iter().zip(wanted) {
        let is_in = wanted.split(' ').all(|path| changed.split(' ').any(|found| found == path));
        let is_renamed = wanted.starts_with("6/");
        assert!(if is_renamed { is_in } else { changed == wanted }, "{changed:?}, not {wanted:?}");
    }
    program.ask("session/rewind", json!({"to": {"seq": 0}, "scope": "files"}));
    // The last command does not mention the file that it wrote, so another program may have written it.
    for number in (0..1500).filter(|number| *number != 4) {
        assert_eq!(place.read(&format!("{}/{number}", number % 15)), "zero\n");
    }
    assert!(!place.path("3/new").exists() && !place.path("more/deep/file").exists());
}

/// No watch reports a file that is written under a name outside of the directory.
#[test]
fn what_others_write_under_another_name_stays_theirs_in_any_directory() {
    for count in [20, 1500] {
        let place = Place::new(&[("a.txt", "zero\n")]);
        for number in 0..count {
            fs::write(place.path(&number.to_string()), "").unwrap();
        }
        let done = json!({"blocks": [{"text": "done"}]});
        let commands = ["true", "true", "echo agent >> a.txt"];
        let replies: Vec<Value> =
            commands.iter().flat_map(|command| [bash(command), done.clone()]).collect();
        let script = place.script(&json!({ "replies": replies }));
        let args = ["serve", "--permission", "full", "--script", &script];
        let mut program = Program::start(place.engine(&args), Framing::Lines);
        program.initialize();
        program.ask("session/create", json!({}));
        let mut go = || {
            program.prompt("go");
            assert_eq!(program.until_event("turn.completed")["status"], "completed");
        };
        go();
        let other = place.path("").parent().unwrap().join("other-name");
        fs::hard_link(place.path("a.txt"), &other).unwrap();
        go();
        fs::write(&other, "zero\nuser\n").unwrap();
        go();
        assert_eq!(place.read("a.txt"), "zero\nuser\nagent\n");
        program
            .ask("review/decide", json!({"action": {"type": "undo", "target": {"type": "all"}}}));
        assert_eq!(place.read("a.txt"), "zero\nuser\n", "among {count} files");
    }
}

#[test]
fn what_the_engine_writes_itself_is_not_tracked() {
    for home in ["project/.data", "project", "project/a/link"] {
        let place = Place::new(&[("a/run.sh", "ls -R > made.txt\necho x >> own.toml\n")]);
        std::os::unix::fs::symlink(place.path(""), place.path("a/link")).unwrap();
        let command = bash("sh a/run.sh");
        let replies = json!({"replies": [command, command, {"blocks": [{"text": "done"}]}]});
        let script = place.script(&replies);
        let args = ["run", "go", "--permission", "full", "--format", "events", "--script", &script];
        let home_path = place.path("").parent().unwrap().join(home);
        let out = place.command(&args).env("PINTLE_HOME", home_path).output().unwrap();
        let lines = String::from_utf8(out.stdout).unwrap();
        let events = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let changed: std::collections::BTreeSet<String> = events
            .filter(|line| line["event"]["type"] == "files.changed")
            .flat_map(|line| line["event"]["changes"].as_array().unwrap().clone())
            .map(|change| change["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned())
            .collect();
        assert_eq!(changed, ["made.txt", "own.toml"].map(str::to_owned).into(), "{home}: {lines}");
    }
}

#[test]
fn files_alone_are_not_summed_up() {
    let place = Place::new(&[]);
    let mut program = started(&place);
    program.ask("session/create", json!({}));
    let params = json!({"to": {"seq": 0}, "scope": "files", "summarize": true});
    let error = program.ask("session/rewind", params);
    assert_eq!(error["message"], "only a rewound conversation can be summarized", "{error}");
    assert!(error["data"]["hint"].as_str().unwrap().contains("`summarize`"), "{error}");
}
