#![expect(clippy::disallowed_methods, reason = "tests set the scene with real files")]

mod wrapped;

use super::*;
use crate::schema;
use pintle_base::ambient::Ambient;
use pintle_base::text::gaps;
use pintle_exec::local::Options;
use pintle_exec::memory::{Answer, Memory};
use pintle_exec::{Dialect, Local};
use serde_json::json;

/// A directory, and tools called in it. Its home is the directory `home` in it.
pub(super) struct Scene {
    folder: tempfile::TempDir,
    pub(super) ctx: ToolContext,
}

impl Scene {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cwd = pintle_os::names::canonicalize(folder.path()).unwrap();
        let ambient = Ambient::system();
        let ctx = ToolContext {
            artifacts: Some(cwd.clone()),
            owner: "tests".to_owned(),
            ..ToolContext::new(Arc::new(Local::new(&ambient, Options::default())), cwd)
        };
        Self { folder, ctx }
    }

    pub(super) fn with(files: &[(&str, &[u8])]) -> Self {
        let scene = Self::new();
        for (path, content) in files {
            scene.put(path, content);
        }
        scene
    }

    pub(super) fn path(&self, relative: &str) -> PathBuf {
        self.ctx.cwd.join(relative)
    }

    pub(super) fn put(&self, relative: &str, content: &[u8]) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(super) fn get(&self, relative: &str) -> Vec<u8> {
        std::fs::read(self.path(relative)).unwrap()
    }

    pub(super) fn set_mode(&self, relative: &str, mode: u32) {
        pintle_testing::files::set_mode(self.path(relative), mode);
    }

    /// Reads a file, so that it may be overwritten.
    pub(super) async fn read(&self, path: &str) -> ToolResult {
        self.call(&Read(Profile::Pi), json!({"path": path})).await
    }

    pub(super) fn folders(&self) -> Folders {
        Folders { cwd: self.ctx.cwd.clone(), home: Some(self.path("home")), shell: Dialect::Bourne }
    }

    /// Prepares and runs a call; an error of its arguments is a failure too.
    pub(super) async fn call(&self, tool: &dyn Tool, arguments: Value) -> ToolResult {
        assert!(self.folder.path().exists());
        match tool.prepare(arguments, &self.folders()) {
            Ok(call) => call.run(&self.ctx).await,
            Err(error) => failure(error),
        }
    }
}

#[tokio::test]
async fn a_preview_tells_the_changes_of_a_call_and_makes_none() {
    let files: [(&str, &[u8]); 4] =
        [("a", b"one\ntwo\nthree\n"), ("b", b"two\ntwo\n"), ("c", b"\0"), ("e", b"e\n")];
    let patch = |text: &str| json!({"patch": format!("*** Begin Patch\n{text}*** End Patch")});
    let rows: [(&str, &dyn Tool, Value); 17] = [
        ("edit", &Edit(Profile::Pi), json!({"path": "a", "oldText": "two", "newText": "2"})),
        (
            "by likeness",
            &Edit(Profile::Pi),
            json!({"path": "a", "oldText": "two  \nthree", "newText": "2"}),
        ),
        (
            "all",
            &Edit(Profile::Pi),
            json!({"path": "b", "oldText": "two", "newText": "2", "replaceAll": true}),
        ),
        ("no match", &Edit(Profile::Pi), json!({"path": "a", "oldText": "four", "newText": "2"})),
        ("many", &Edit(Profile::Pi), json!({"path": "b", "oldText": "two", "newText": "2"})),
        ("no file", &Edit(Profile::Pi), json!({"path": "d", "oldText": "two", "newText": "2"})),
        ("binary", &Edit(Profile::Pi), json!({"path": "c", "oldText": "two", "newText": "2"})),
        ("over a file", &Write(Profile::Pi), json!({"path": "a", "content": "one\n"})),
        ("unread", &Write(Profile::Pi), json!({"path": "b", "content": "one\n"})),
        ("new", &Write(Profile::Pi), json!({"path": "n/m", "content": "one\n"})),
        ("the same", &Write(Profile::Pi), json!({"path": "a", "content": "one\ntwo\nthree\n"})),
        ("a folder", &Write(Profile::Pi), json!({"path": ".", "content": ""})),
        (
            "patch",
            &ApplyPatch(Profile::OpenAi),
            patch(
                "*** Update File: a\n*** Move to: x\n two\n-three\n+3\n*** Delete File: e\n*** Add File: z\n+z\n",
            ),
        ),
        (
            "misplaced",
            &ApplyPatch(Profile::OpenAi),
            patch("*** Update File: a\n-four\n+4\n*** Delete File: b\n"),
        ),
        ("an unread file goes", &ApplyPatch(Profile::OpenAi), patch("*** Delete File: b\n")),
        ("over an unread file", &ApplyPatch(Profile::OpenAi), patch("*** Add File: b\n+z\n")),
        ("a command", &Bash(Profile::Pi), json!({"command": "rm a"})),
    ];
    for (name, tool, arguments) in rows {
        let scene = Scene::with(&files);
        scene.read("a").await;
        scene.read("e").await;
        let call = tool.prepare(arguments, &scene.folders()).unwrap();
        let preview = call.preview(&scene.ctx).await;
        for (path, content) in files {
            assert_eq!(scene.get(path), content, "{name}");
        }
        let made = std::fs::read_dir(&scene.ctx.cwd).unwrap().count();
        assert_eq!(made, files.len(), "{name}");
        let result = call.run(&scene.ctx).await;
        let ran = if result.is_error {
            Err(text(&result).replacen("error: ", "", 1))
        } else {
            Ok(result.details.changes)
        };
        assert_eq!(preview, ran, "{name}");
    }
}

/// Returns a result's text, with the prefix `error: ` for a failure.
pub(super) fn text(result: &ToolResult) -> String {
    let texts = result.content.iter().map(|content| match content {
        Content::Text { text } => text.as_str(),
        Content::Document { .. } => "<document>",
        Content::Image { .. } => "<image>",
    });
    let text: String = texts.collect();
    if result.is_error { format!("error: {text}") } else { text }
}

#[test]
fn every_tool_has_a_name_a_text_and_a_schema() {
    let tools = Profile::Pi.tools();
    let names: Vec<_> = tools.iter().map(|tool| tool.name()).collect();
    assert_eq!(
        names,
        ["read", "bash", "job", "edit", "write", "grep", "find", "ls", "todo_write", "recall"]
    );
    for (_, profile) in PROFILES {
        let tools = profile.all();
        let mut names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
        let declared = declarations(&tools, &Settings::default());
        for (tool, Declaration { description, parameters, .. }) in tools.iter().zip(declared) {
            let name = tool.name();
            assert!(description.len() > 40, "{name}");
            assert_eq!(parameters["type"], "object", "{name}");
            for required in parameters["required"].as_array().into_iter().flatten() {
                let required = required.as_str().unwrap();
                assert!(parameters["properties"].get(required).is_some(), "{name}");
            }
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), tools.len(), "{profile:?}: a name twice");
    }
}

/// Returns an example of a schema: every property has a value.
fn example(name: &str, schema: &Value) -> Value {
    match schema["type"].as_str().unwrap() {
        "object" => {
            let properties = schema["properties"].as_object().unwrap().iter();
            properties.map(|(name, schema)| (name.clone(), example(name, schema))).collect()
        }
        "array" => json!([example(name, &schema["items"])]),
        "string" => match (&schema["enum"], name) {
            (Value::Array(values), _) => values[0].clone(),
            (_, "input") => json!("*** Begin Patch\n*** Add File: a\n+a\n*** End Patch"),
            (_, "url") => json!("https://example.com/"),
            (_, "prompt") => json!("Read https://example.com/."),
            (_, "type") => json!("rust"),
            (_, "keys") => json!("enter"),
            _ => json!("a"),
        },
        "integer" | "number" => json!(schema["minimum"].as_u64().unwrap_or(1)),
        "boolean" => json!(true),
        other => panic!("no example of type {other}"),
    }
}

/// Returns an example of a full schema, then variants: each optional property left out, each other value of an `enum`.
fn examples(schema: &Value) -> Vec<Value> {
    let whole = example("", schema);
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let mut examples = vec![whole.clone()];
    for (name, property) in schema["properties"].as_object().unwrap() {
        if !required.contains(&json!(name)) {
            let mut without = whole.clone();
            without.as_object_mut().unwrap().remove(name);
            examples.push(without);
        }
        for value in property["enum"].as_array().into_iter().flatten() {
            let mut with = whole.clone();
            with[name] = value.clone();
            examples.push(with);
        }
    }
    examples
}

/// Collects a schema's property names, in lists too: `edits[].oldText`.
fn properties(prefix: &str, schema: &Value, names: &mut std::collections::BTreeSet<String>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        names.insert(format!("{prefix}{name}"));
        properties(&format!("{prefix}{name}[]."), &property["items"], names);
    }
}

// Argument tables and the code that reads them are separate. This test keeps them in step.
#[test]
fn a_schema_names_exactly_the_arguments_that_its_tool_reads() {
    let folders = Folders { cwd: "/w".into(), home: None, shell: Dialect::Bourne };
    for (_, profile) in PROFILES {
        let tools = profile.all();
        let declared = declarations(&tools, &Settings::default());
        for (tool, Declaration { parameters: schema, .. }) in tools.iter().zip(declared) {
            arguments::recorder::take();
            for example in examples(&schema) {
                let error = tool.prepare(example.clone(), &folders).err().unwrap_or_default();
                // Some values of an `enum` need a property that others do not, and some arguments replace others.
                let is_expected =
                    error.is_empty() || error.contains("is missing") || error.contains("not both");
                assert!(is_expected, "{profile:?} {} {example}: {error}", tool.name());
                assert_eq!(tool.check(&example), Ok(()), "{profile:?}");
            }
            let mut named = std::collections::BTreeSet::new();
            properties("", &schema, &mut named);
            let row = profile.row(tool.does().unwrap());
            let unread = schema::unread("", row.fields);
            let read = arguments::recorder::take().union(&unread).cloned().collect();
            assert_eq!(named, read, "{profile:?} {}", tool.name());
        }
    }
}

#[test]
fn an_unknown_argument_is_refused_by_name() {
    let tools = Profile::Pi.tools();
    let check = |name: &str, arguments: Value| {
        let tool = tools.iter().find(|tool| tool.name() == name).unwrap();
        tool.check(&arguments).err().unwrap_or_default()
    };
    for (name, arguments, want) in [
        ("read", json!({"path": "a", "offset": 2}), ""),
        (
            "read",
            json!({"path": "a", "lines": 2}),
            "unknown argument `lines`; expected one of `path`, `offset`, `limit`",
        ),
        (
            "edit",
            json!({"path": "a", "edits": [{"oldText": "x", "newText": "y"}, {"old": "x"}]}),
            "unknown argument `edits[1].old`; expected one of `oldText`, `newText`",
        ),
        ("read", json!("a"), ""),
    ] {
        assert_eq!(check(name, arguments.clone()), want, "{name} {arguments}");
    }
}

#[test]
fn a_call_says_what_it_would_do() {
    let folders =
        Folders { cwd: "/w".into(), home: Some("/home/me".into()), shell: Dialect::Bourne };
    let path = |path: &str| vec![PathBuf::from(path)];
    let rows: [(Box<dyn Tool>, Value, &str, Access); 8] = [
        (Box::new(Read(Profile::Pi)), json!({"path": "a"}), "read: a", Access::Read(path("/w/a"))),
        (
            Box::new(Read(Profile::Pi)),
            json!({"path": "../x"}),
            "read: ../x",
            Access::Read(path("/w/../x")),
        ),
        (
            Box::new(Write(Profile::Pi)),
            json!({"path": "~/a", "content": ""}),
            "write: ~/a",
            Access::Write(path("/home/me/a")),
        ),
        (
            Box::new(Edit(Profile::Pi)),
            json!({"path": "a", "oldText": "x", "newText": ""}),
            "edit: a",
            Access::Write(path("/w/a")),
        ),
        (
            Box::new(Bash(Profile::Pi)),
            json!({"command": "cargo test\necho"}),
            "bash: cargo test … (1 more line)",
            Access::Execute("cargo test\necho".into()),
        ),
        (
            Box::new(Grep(Profile::Pi)),
            json!({"pattern": "x"}),
            "grep: x in .",
            Access::Read(path("/w/.")),
        ),
        (
            Box::new(Find(Profile::Pi)),
            json!({"pattern": "x", "path": "a"}),
            "find: x in a",
            Access::Read(path("/w/a")),
        ),
        (Box::new(Ls(Profile::Pi)), json!({}), "ls: .", Access::Read(path("/w/."))),
    ];
    for (tool, arguments, title, access) in rows {
        let call = tool.prepare(arguments, &folders).unwrap();
        assert_eq!((call.title().as_str(), call.access()), (title, access), "{}", tool.name());
    }
}

#[test]
fn wrong_arguments_are_refused_before_anything_runs() {
    let folders = Folders { cwd: "/w".into(), home: None, shell: Dialect::Bourne };
    let tools = Profile::Pi.tools();
    for (name, arguments, want) in [
        ("read", json!({"path": null}), "`path` must be a string, not null"),
        (
            "read",
            json!({"path": "a", "limit": "nine"}),
            "`limit` must be a whole number of at least 1, not a string",
        ),
        ("write", json!({"path": "a"}), "`content` is missing: it must be a string"),
        ("edit", json!({"path": 123}), "`path` must be a string, not 123"),
        ("edit", json!({"path": "a", "oldText": "x"}), "`newText` is missing: it must be a string"),
        (
            "edit",
            json!({"path": "a", "edits": "x"}),
            "`edits` must be a list of objects, not a string",
        ),
        (
            "edit",
            json!({"path": "a", "edits": [{"oldText": "x", "newText": 1}]}),
            "`edits[0].newText` must be a string, not 1",
        ),
        ("bash", json!({"command": "  "}), "`command` must not be empty"),
        (
            "bash",
            json!({"command": "ls", "timeout": -1}),
            "`timeout` must be a number of seconds above 0, not -1",
        ),
        ("grep", json!({}), "`pattern` is missing: it must be a string"),
        ("find", json!({"pattern": ["x"]}), "`pattern` must be a string, not a list"),
        ("ls", json!("src"), "the arguments must be an object, not a string"),
    ] {
        let tool = tools.iter().find(|tool| tool.name() == name).unwrap();
        let got = tool.prepare(arguments, &folders).err();
        assert_eq!(got.as_deref(), Some(want), "{name}");
    }
}

#[tokio::test]
async fn a_cancelled_call_says_so_and_does_nothing() {
    let scene = Scene::with(&[("a", b"x")]);
    scene.ctx.cancel.cancel();
    let rows: [(Box<dyn Tool>, Value, &str); 7] = [
        (Box::new(Read(Profile::Pi)), json!({"path": "a"}), "error: Operation aborted"),
        (
            Box::new(Write(Profile::Pi)),
            json!({"path": "b", "content": "x"}),
            "error: Operation aborted",
        ),
        (
            Box::new(Edit(Profile::Pi)),
            json!({"path": "a", "oldText": "x", "newText": "y"}),
            "error: Operation aborted",
        ),
        (Box::new(Bash(Profile::Pi)), json!({"command": "touch b"}), "error: Command aborted"),
        (Box::new(Grep(Profile::Pi)), json!({"pattern": "x"}), "error: Operation aborted"),
        (Box::new(Find(Profile::Pi)), json!({"pattern": "x"}), "error: Operation aborted"),
        (Box::new(Ls(Profile::Pi)), json!({}), "error: Operation aborted"),
    ];
    for (tool, arguments, want) in rows {
        assert_eq!(text(&scene.call(tool.as_ref(), arguments).await), want, "{}", tool.name());
    }
    assert_eq!(scene.get("a"), b"x");
    assert!(!scene.path("b").exists());
}

#[tokio::test]
async fn tools_work_in_memory_too() {
    let memory = Memory::new([("/w/a.rs", "one\ntwo\n")])
        .with_command("make", Answer::Exits("done\n".into(), 0));
    let env = Arc::new(memory);
    let mut scene = Scene::new();
    scene.ctx.env = env.clone();
    scene.ctx.cwd = "/w".into();
    let rows: [(Box<dyn Tool>, Value, &str); 7] = [
        (
            Box::new(Edit(Profile::Pi)),
            json!({"path": "a.rs", "oldText": "two", "newText": "2"}),
            "Successfully replaced text in a.rs.",
        ),
        (
            Box::new(Write(Profile::Pi)),
            json!({"path": "b/c", "content": "c"}),
            "Successfully wrote 1 bytes to b/c",
        ),
        (Box::new(Read(Profile::Pi)), json!({"path": "a.rs"}), "one\n2"),
        (Box::new(Grep(Profile::Pi)), json!({"pattern": "2"}), "a.rs:2: 2"),
        (Box::new(Find(Profile::Pi)), json!({"pattern": "c"}), "b/c"),
        (Box::new(Ls(Profile::Pi)), json!({}), "a.rs\nb/"),
        (Box::new(Bash(Profile::Pi)), json!({"command": "make"}), "done\n"),
    ];
    for (tool, arguments, want) in rows {
        assert_eq!(text(&scene.call(tool.as_ref(), arguments).await), want, "{}", tool.name());
    }
    assert_eq!(env.text("/w/b/c").as_deref(), Some("c"));
}

/// The profiles whose results are limited as their models are used to.
const LIMITED: [Profile; 3] = [Profile::Anthropic, Profile::OpenAi, Profile::Gemini];

/// Returns the number before a line of a file.
fn number(profile: Profile, line: u64) -> String {
    match profile.numbers() {
        toolsets::Numbers::None => String::new(),
        toolsets::Numbers::Tab => format!("{line:>6}\t"),
        toolsets::Numbers::Plain => format!("{line}: "),
        toolsets::Numbers::Letter => format!("L{line}: "),
    }
}

/// Returns the number behind a word of a notice: `offset=12` has 12 behind `offset=`.
fn number_behind(text: &str, word: &str) -> u64 {
    let rest = text.split_once(word).unwrap_or_else(|| panic!("no {word} in {text}")).1;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

/// Asserts that nothing cuts a result that its tool has cut.
fn is_cut_once(tool: &dyn Tool, result: &ToolResult) {
    for content in &result.content {
        if let Content::Text { text } = content {
            assert!(!pintle_base::text::truncate::exceeds(text, tool.guard()), "{}", tool.name());
        }
    }
}

#[tokio::test]
async fn of_a_long_output_both_ends_are_shown_and_the_notice_says_truly_what_is_not() {
    let scene = Scene::new();
    // Command, lines in all, the most lines shown, of which size.
    for (command, total, max_lines) in [
        ("seq 5000", 5000, 256),
        ("seq 257", 257, 256),
        ("for i in $(seq 4000); do echo line $i of many; done", 4000, 256),
        (
            "seq -f '%05.0f the quick brown fox jumps over the lazy dog, and over the lazy cat as well, and then it rests for a while beside the river, as foxes do' 250",
            250,
            250,
        ),
    ] {
        for profile in [Profile::Anthropic, Profile::Kimi, Profile::Gemini] {
            let tool = Bash(profile);
            let got = scene.call(&tool, json!({"command": command})).await;
            is_cut_once(&tool, &got);
            let path = got.details.full_output_path.clone().unwrap();
            let whole = String::from_utf8(scene.get(path.rsplit('/').next().unwrap())).unwrap();
            let whole: Vec<&str> = whole.lines().collect();
            assert_eq!(whole.len(), total, "{command}");
            let shown = text(&got);
            let (head, rest) = shown.split_once("\n\n[Lines ").unwrap();
            let (notice, tail) = rest.split_once("]\n\n").unwrap();
            let (first, last) = notice.split_once(" of ").unwrap().0.split_once('-').unwrap();
            let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
            assert_eq!(head.lines().collect::<Vec<_>>(), whole[..first - 1], "{command}");
            assert_eq!(tail.lines().collect::<Vec<_>>(), whole[last..], "{command}");
            assert!(head.lines().count() + tail.lines().count() <= max_lines, "{command}");
            assert!(head.len() + tail.len() <= 30_000, "{command}");
            assert!(notice.contains(&format!("of {total} are not shown")), "{notice}");
            assert_eq!(notice.contains("limit"), max_lines == 250, "{notice}");
            let row = profile.row(Builtin::Read);
            let (reader, offset) = (row.name, row.theirs("offset").unwrap());
            let how = format!("Full output: {path} ({reader} with {offset}={first} continues)");
            assert!(notice.ends_with(&how), "{notice}");
            // And so it does.
            let more =
                scene.call(&Read(profile), json!({"file_path": path, "offset": first})).await;
            let line = format!("{}{}", number(profile, first as u64), whole[first - 1]);
            assert!(text(&more).starts_with(&line), "{line}");
        }
    }
    let got = scene.call(&Bash(Profile::Anthropic), json!({"command": "seq 256"})).await;
    assert!(text(&got).lines().count() == 256 && got.details.truncation.is_none());
    let one_line = "head -c 40000 /dev/zero | tr '\\0' =";
    let got = text(&scene.call(&Bash(Profile::Anthropic), json!({"command": one_line})).await);
    let want = format!(
        "=\n\n[9.7KB of lines 1-1 of 1 are not shown (29.2KB limit). Full output: {}/",
        pintle_os::names::shown(&scene.ctx.cwd)
    );
    assert!(got.contains(&want) && got.matches('=').count() == 30_000, "{}", got.replace('=', ""));
    let failed = "seq 5000; exit 3";
    let got = text(&scene.call(&Bash(Profile::Anthropic), json!({"command": failed})).await);
    assert!(got.ends_with("\n5000\n\nCommand exited with code 3"), "{}", &got[got.len() - 200..]);
}

#[tokio::test]
async fn reading_on_as_the_notice_says_reads_every_line_once() {
    let content = (1..=4000).map(|n| format!("line {n} of a file\n")).collect::<Vec<_>>().concat();
    let wide = (1..=300).map(|n| format!("{n} {}\n", "wide ".repeat(100)));
    let wide = wide.collect::<Vec<_>>().concat();
    let scene = Scene::with(&[("long", content.as_bytes()), ("wide", wide.as_bytes())]);
    for (file, whole) in [("long", &content), ("wide", &wide)] {
        for profile in LIMITED {
            let tool = Read(profile);
            let number_of = |line: u64| number(profile, line);
            let field = profile.row(Builtin::Read).theirs("offset").unwrap();
            let (mut offset, mut read) = (1, String::new());
            loop {
                let got = scene.call(&tool, json!({"file_path": file, "offset": offset})).await;
                is_cut_once(&tool, &got);
                let shown = text(&got);
                let (lines, notice) = match shown.split_once("\n\n[") {
                    Some((lines, notice)) => (lines, Some(notice)),
                    None => (shown.as_str(), None),
                };
                assert!(lines.len() <= 50_000, "{file}: {}", lines.len());
                for (number, line) in (offset..).zip(lines.lines()) {
                    read.push_str(line.strip_prefix(&number_of(number)).unwrap());
                    read.push('\n');
                }
                let Some(notice) = notice else { break };
                let last = offset + lines.lines().count() as u64 - 1;
                assert!(
                    notice.starts_with(&format!("Showing lines {offset}-{last} of ")),
                    "{notice}"
                );
                offset = number_behind(notice, &format!("{field}="));
                assert_eq!(offset, last + 1, "{notice}");
            }
            assert_eq!(read, *whole, "{file}");
        }
    }
}

#[tokio::test]
async fn lists_keep_to_the_limits_of_their_profile_and_count_the_rest() {
    let scene = Scene::new();
    let lines =
        "needle in a haystack of a certain width, so that lines are long enough to matter here\n";
    scene.put("many", lines.repeat(600).as_bytes());
    for n in 0..600 {
        scene.put(&format!("folder/a file with a name of some length, number {n:04}"), b"");
    }
    for profile in LIMITED {
        let with_lines = |mut arguments: Value| {
            if profile.row(Builtin::Grep).theirs("mode").is_some() {
                arguments["output_mode"] = json!("content");
            }
            arguments
        };
        let rows: [(Box<dyn Tool>, Value, usize, &str); 5] = [
            (
                Box::new(Grep(profile)),
                with_lines(json!({"pattern": "needle"})),
                100,
                "[100 matches limit reached. Use LIMIT=200 for more, or refine pattern]",
            ),
            (
                Box::new(Grep(profile)),
                with_lines(json!({"pattern": "needle in", "limit": 5000})),
                200,
                "[200 matches limit reached. Refine pattern, or search a subdirectory]",
            ),
            (
                Box::new(Find(profile)),
                json!({"pattern": "*file*"}),
                500,
                "500 results limit reached. Refine pattern, or search a subdirectory",
            ),
            (Box::new(Find(profile)), json!({"pattern": "many"}), 1, "many"),
            (
                Box::new(Ls(profile)),
                json!({"path": "folder"}),
                500,
                "500 entries limit reached. List a subdirectory",
            ),
        ];
        for (tool, arguments, results, notice) in rows {
            if profile.named(tool.does().unwrap()).is_none() {
                continue;
            }
            let got = scene.call(tool.as_ref(), arguments).await;
            is_cut_once(tool.as_ref(), &got);
            let shown = text(&got);
            let notice =
                notice.replace("LIMIT", profile.row(Builtin::Grep).theirs("limit").unwrap());
            assert!(shown.contains(&notice), "{}: {}", tool.name(), &shown[shown.len() - 200..]);
            let (list, notes) = shown.split_once("\n\n[").unwrap_or((&shown, ""));
            assert!(list.len() <= 20_000, "{}: {}", tool.name(), list.len());
            let left = if notes.contains(" more lines") {
                number_behind(notes, "limit reached, ")
            } else {
                0
            };
            assert_eq!(
                list.lines().count() as u64 + left,
                results as u64,
                "{}: {notes}",
                tool.name()
            );
        }
    }
}

/// Returns a profile's declarations for tools with these purposes.
fn declared(profile: Profile, are: impl Fn(Builtin) -> bool) -> Vec<(String, Declaration)> {
    let tools = profile.all().into_iter();
    let tools: Vec<_> = tools.filter(|tool| tool.does().is_some_and(&are)).collect();
    let declared = declarations(&tools, &Settings::default());
    tools.iter().map(|tool| tool.name().to_owned()).zip(declared).collect()
}

#[test]
fn no_description_names_a_tool_that_its_session_lacks() {
    let all = PROFILES.iter().flat_map(|(_, profile)| profile.all());
    let names: std::collections::BTreeSet<String> =
        all.map(|tool| tool.name().to_owned()).collect();
    // Names that are also English words are in backticks if they refer to a tool.
    let is_named = |text: &str, name: &str| {
        let is_word = name.chars().skip(1).all(|c| c.is_ascii_lowercase());
        if is_word { text.contains(&format!("`{name}`")) } else { text.contains(name) }
    };
    for (_, profile) in PROFILES {
        let has: Vec<Builtin> = profile.all().iter().filter_map(|tool| tool.does()).collect();
        // With every tool, and with each left out.
        for left_out in has.iter().map(|does| Some(*does)).chain([None]) {
            let declared = declared(profile, |does| Some(does) != left_out);
            for (tool, Declaration { description, .. }) in &declared {
                assert!(!description.contains("[["), "{profile:?} {tool}: {description}");
                let is_there = |name: &String| declared.iter().any(|(own, _)| own == name);
                // `job` describes its actions and arguments itself.
                let is_own = |name: &String| matches!(name.as_str(), "read" | "wait" | "write");
                for other in names.iter().filter(|name| !is_there(name) && !is_own(name)) {
                    let is_part = declared.iter().any(|(own, _)| own.contains(other.as_str()));
                    let told = is_named(description, other) && !is_part;
                    assert!(
                        !told,
                        "{profile:?} without {left_out:?}: {tool} names {other}: {description}"
                    );
                }
                assert_eq!(gaps::gaps(description), Vec::<&str>::new(), "{profile:?} {tool}");
            }
        }
        for name in [profile.shell(), profile.read(), profile.write(), profile.list()] {
            assert!(profile.all().iter().any(|own| own.name() == name), "{profile:?}: {name}");
        }
    }
}

#[test]
fn no_description_states_a_limit_that_the_settings_have_changed() {
    let settings = Settings {
        max_output_lines: Some(1234),
        max_output_bytes: Some(45_678),
        default_command_timeout: Some(Duration::from_secs(77)),
        max_command_timeout: Duration::from_secs(888),
        ..Settings::default()
    };
    let told = |profile: Profile, does: Builtin| {
        let tools = profile.all();
        let declared = declarations(&tools, &settings);
        let at = tools.iter().position(|tool| tool.does() == Some(does)).unwrap();
        format!("{} {}", declared[at].description, declared[at].parameters)
    };
    for (name, profile) in PROFILES {
        for does in [Builtin::Read, Builtin::Shell, Builtin::Grep, Builtin::Find] {
            let Some(_) = profile.named(does) else { continue };
            let told = told(profile, does);
            for stated in ["2,000 lines", "256 lines", "50 KB", "30,000", "20,000", "600000"] {
                assert!(!told.contains(stated), "{name} {does:?}: {stated} in {told}");
            }
        }
    }
    for (profile, does, want) in [
        (Profile::Pi, Builtin::Shell, "the last 1,234 lines or 45,678 bytes"),
        (Profile::Pi, Builtin::Shell, "Timeout in seconds, at most 888; default: 77"),
        (Profile::DeepSeek, Builtin::Shell, "at most 888000; default: 77000"),
        (Profile::Gemini, Builtin::ReadMany, "share 45,678 bytes"),
        (Profile::Anthropic, Builtin::Shell, "together at most 1,234 lines or 45,678 bytes"),
    ] {
        let told = told(profile, does);
        assert!(told.contains(want), "{want} in {told}");
    }
}

#[test]
fn every_purpose_has_a_row_in_some_family() {
    // The provider has its own search, which is the same in each family.
    for (name, does) in Builtin::NAMES.into_iter().filter(|(_, does)| *does != Builtin::WebSearch) {
        assert_eq!(Profile::Mistral.row(does).does, does, "{name}");
    }
}

/// Writing a file does not recreate a deleted working directory.
#[tokio::test]
async fn no_file_is_written_into_a_working_directory_that_is_gone() {
    let patch = "*** Begin Patch\n*** Add File: new/a\n+x\n*** End Patch";
    let mut scene = Scene::new();
    let elsewhere = scene.path("elsewhere").to_string_lossy().into_owned();
    scene.ctx.cwd = scene.path("gone");
    let within = scene.path("new/a").to_string_lossy().into_owned();
    let rows: [(&dyn Tool, Value, bool); 4] = [
        (&Write(Profile::Pi), json!({"path": "new/a", "content": "x"}), false),
        (&Write(Profile::Pi), json!({"path": within, "content": "x"}), false),
        (&ApplyPatch(Profile::OpenAi), json!({"patch": patch}), false),
        (&Write(Profile::Pi), json!({"path": elsewhere, "content": "x"}), true),
    ];
    for (tool, arguments, is_written) in rows {
        let got = text(&scene.call(tool, arguments.clone()).await);
        assert_eq!(got.contains("no longer exists"), !is_written, "{arguments}: {got}");
        assert!(!scene.ctx.cwd.exists(), "{arguments}");
    }
    assert!(Path::new(&elsewhere).exists());
}
