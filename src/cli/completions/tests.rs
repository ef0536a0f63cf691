use super::*;
use crate::cli::args::Shell;
use expect_test::expect;
use pintle_protocol::ids::SessionId;
use pintle_session::store::{FORMAT_VERSION, Header, Store};
use tempfile::TempDir;

/// A home with settings, logins and sessions.
struct Home {
    folder: TempDir,
    ambient: Ambient,
}

impl Home {
    fn new(config: &str) -> Self {
        let folder = pintle_base::private_files::temporary_folder("pintle-completions-").unwrap();
        let home = folder.path().to_str().unwrap().to_owned();
        write(&folder.path().join("config.toml"), config);
        let vars = [("PINTLE_HOME", home.as_str()), ("OPENAI_API_KEY", "sk-0123456789abcdef")];
        let vars = vars.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let ambient = Ambient::fixed(vars).with_current_dir(folder.path());
        Self { folder, ambient }
    }

    /// Stores a session; the time orders them.
    fn session(&self, id: &str, cwd: &Path, created_ms: u64, title: &str) {
        let store = Store::new(self.folder.path());
        let (journal, session_id) = ("pintle".to_owned(), SessionId::new(id));
        let (version, cwd) = (FORMAT_VERSION, cwd.to_str().unwrap().to_owned());
        let header = Header { journal, version, session_id, cwd, created_ms };
        store.create(&header).unwrap().keep_title(Some(title)).unwrap();
    }

    /// Completes a line's last word, which is empty behind a space.
    fn complete(&self, line: &str) -> Vec<String> {
        let words = line.split(' ').map(OsString::from).collect();
        completions(words, &self.ambient).iter().map(Completion::line).collect()
    }

    /// Returns the values only, in one line.
    fn values(&self, line: &str) -> String {
        let lines = self.complete(line);
        let values = lines.iter().map(|line| match line.strip_prefix('\t') {
            Some(paths) => format!("<{}>", paths.replace('\t', " ").trim_end()),
            None => line.split('\t').next().unwrap_or_default().to_owned(),
        });
        values.collect::<Vec<_>>().join(" ")
    }
}

#[expect(clippy::disallowed_methods, reason = "a test makes its own home")]
fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

const CONFIG: &str = r#"
[providers.box]
base_url = "http://127.0.0.1:1/v1"
api = "chat"
models = [{ id = "small" }, { id = "big:8b" }, { id = "$(touch x)" }]

[mcp_servers.clock]
command = "clock"

[mcp_servers.web]
url = "http://127.0.0.1:1/mcp"
"#;

#[test]
fn values_fit_the_argument_at_the_cursor() {
    let home = Home::new(CONFIG);
    let mut wrong = Vec::new();
    for (line, want) in [
        ("pintle ru", "run"),
        ("pintle sess", "sessions"),
        ("pintle sessions ou", "outline"),
        ("pintle run --permission ", "read-only ask auto-edit full"),
        ("pintle run --permission=a", "--permission=ask --permission=auto-edit"),
        ("pintle run --sandbox re", "required"),
        ("pintle run --profile g", "gemini glm"),
        ("pintle run --api ", "messages chat responses gemini"),
        ("pintle run --mod", "--model --mode"),
        ("pintle run --model bo", "box/"),
        ("pintle run --model box/", "box/big:8b box/small"),
        ("pintle run --fallback-model=box/s", "--fallback-model=box/small"),
        ("pintle run --model box/big:", "box/big:8b"),
        ("pintle run --model box/small:x", "box/small:xhigh"),
        ("pintle run --model box/small:m", "box/small:minimal box/small:medium box/small:max"),
        ("pintle run -C ", "<directories>"),
        ("pintle run --directory=", "<directories --directory=>"),
        ("pintle run --file x", "<files>"),
        ("pintle run --system-prompt ", "<files>"),
        ("pintle run --report ", "sarif= junit= markdown= github"),
        ("pintle run --report sarif=a", "<files sarif=>"),
        ("pintle run --trust fix --tim", "--timeout"),
        ("pintle run --trust=", "<directories --trust=>"),
        ("pintle run --trust --untr", "--untrusted"),
        ("pintle batch merge ", "<directories>"),
        ("pintle batch m", "merge <files>"),
        ("pintle trust ", "<directories>"),
        ("pintle serve --listen ", "unix: ws://127.0.0.1:"),
        ("pintle serve --listen unix:", "<files unix:>"),
        ("pintle mcp test ", "clock web"),
        ("pintle mcp login w", "web"),
        ("pintle login anth", "anthropic"),
        ("pintle logout ", "--help"),
        ("pintle help perm", "permissions"),
        ("pintle help sessions re", "reindex rewind review revert"),
        ("pintle rpc --thinking m", "minimal medium max"),
        ("pintle rpc --models box/small,box/b", "box/small,box/big:8b"),
        ("pintle --mode rpc --session-d", "--session-dir"),
        ("pintle completions ", "bash zsh fish powershell nushell"),
        ("pintle run fix -- ", ""),
        ("pintle logout nothing ", "--help"),
        ("pintle", ""),
    ] {
        let got = home.values(line);
        if got != want {
            wrong.push(format!("{line}: {got}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn models_are_completed_in_two_steps_with_usable_providers_first() {
    let home = Home::new(CONFIG);
    let providers = home.complete("pintle run --model ");
    assert_eq!(providers[..2], ["openai/\tkey set", "box/\tno key needed"], "{providers:?}");
    assert!(providers.len() < 60 && providers.contains(&"anthropic/\tno key".to_owned()));
    assert!(providers.iter().all(|line| line.split('\t').next().unwrap().ends_with('/')));
    let models = home.complete("pintle models openai/");
    assert!(models.len() > 3, "{models:?}");
    assert!(models.iter().all(|line| line.starts_with("openai/")), "{models:?}");
    assert!(models.iter().any(|line| line.ends_with("k context")), "{models:?}");
}

#[test]
fn sessions_have_titles_and_those_of_this_directory_are_first() {
    let home = Home::new("");
    let here = assemble_folder(home.folder.path());
    home.session("01a2027b-1111-7000-8000-000000000001", &here, 1_000, "parser fixed");
    home.session("01a2027b-1111-7000-8000-000000000002", Path::new("/else"), 2_000, "elsewhere");
    home.session("02b30000-1111-7000-8000-000000000003", &here, 3_000, "");
    let shown = |line: &str| home.complete(line).join("\n");
    expect![[r"
        02b30000-1111-7000-8000-000000000003	(no title)
        01a2027b-1111-7000-8000-000000000001	parser fixed
        01a2027b-1111-7000-8000-000000000002	elsewhere
        last	the newest session in this directory"]]
    .assert_eq(&shown("pintle attach "));
    expect![[r"
        --session=01a2027b-1111-7000-8000-000000000001	parser fixed
        --session=01a2027b-1111-7000-8000-000000000002	elsewhere"]]
    .assert_eq(&shown("pintle run --session=01a2"));
    for line in [
        "pintle sessions show ",
        "pintle sessions delete 01a2027b ",
        "pintle sessions search x --session ",
        "pintle sessions rewind ",
        "pintle sessions undo ",
        "pintle policy replay ",
        "pintle replay ",
    ] {
        assert_eq!(shown(line), shown("pintle attach "), "{line}");
    }
    assert_eq!(
        home.values("pintle rpc --session 02"),
        "02b30000-1111-7000-8000-000000000003 <files>"
    );
    assert_eq!(home.values("pintle rpc --session-id la"), "");
}

fn assemble_folder(folder: &Path) -> std::path::PathBuf {
    crate::cli::assemble::folder(folder).unwrap()
}

#[test]
fn no_text_of_a_user_can_be_more_than_a_description() {
    let home = Home::new(CONFIG);
    let titles = [
        "$(touch pwned) `touch pwned` ; touch pwned",
        "tab\there \u{1b}[31mred\u{1b}[0m \u{7} bell",
        "bidi \u{202e}txt.exe",
        "it's \"quoted\" \\ and: colons",
        &"long ".repeat(60),
    ];
    for (n, title) in titles.iter().enumerate() {
        let id = format!("01a2027b-1111-7000-8000-00000000000{n}");
        home.session(&id, Path::new("/else"), 60_000 * (9 - n as u64), title);
    }
    home.session("$(touch pwned)", Path::new("/else"), 1_000, "an id that no engine makes");
    expect![[r#"
        01a2027b-1111-7000-8000-000000000000	$(touch pwned) `touch pwned` ; touch pwned
        01a2027b-1111-7000-8000-000000000001	tab here red bell
        01a2027b-1111-7000-8000-000000000002	bidi ⟨U+202E⟩txt.exe
        01a2027b-1111-7000-8000-000000000003	it's "quoted" \ and: colons
        01a2027b-1111-7000-8000-000000000004	long long long long long long long long long long long long long long long long long long long long …
        last	the newest session in this directory"#]]
    .assert_eq(&home.complete("pintle sessions show ").join("\n"));
}

#[test]
fn without_usable_settings_or_a_home_the_rest_is_completed() {
    let broken = Home::new("model = [");
    let mut homeless = Home::new("");
    homeless.ambient = homeless.ambient.with_vars([]);
    for home in [broken, homeless] {
        assert!(home.values("pintle run --model anth").starts_with("anthropic/"));
        assert_eq!(home.values("pintle run --session l"), "last");
        assert_eq!(home.values("pintle mcp test --j"), "--json");
        assert_eq!(home.values("pintle run --permission r"), "read-only");
    }
}

#[test]
fn every_beginning_of_every_line_is_completed() {
    let home = Home::new(CONFIG);
    let lines = [
        "pintle run --model=box/small:low -C /x --tools a,b,,c --trust=. -qC --file - -- --x --",
        "pintle --mode rpc --provider --nothing -e x -ec --models a/b, messages @x",
        "pintle sessions label -- --to #2 x --remove --to=",
        "pintle batch merge a b --out= --format json -- x y",
        "pintle complete --next -- pintle run --model ",
        "pintle -- run --model",
        "pintle sessions sessions help run help --json",
        "pintle \u{1b}[31m \u{202e} $(touch x) 'a b' \"",
    ];
    for line in lines {
        for end in line.char_indices().map(|(at, _)| at).chain([line.len()]) {
            home.complete(&line[..end]);
        }
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        let odd = OsString::from_vec(vec![b'-', b'-', 0xff, b'=', 0xfe]);
        let words = ["pintle", "run"].map(OsString::from).into_iter().chain([odd.clone(), odd]);
        assert_eq!(completions(words.collect(), &home.ambient), []);
    }
    assert_eq!(completions(Vec::new(), &home.ambient), []);
}

#[test]
fn every_argument_declares_its_values() {
    fn undeclared(command: &Command, into: &mut Vec<String>) {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let takes_value = arg.get_num_args().expect("built").takes_values();
            let is_declared = arg.get::<Values>().is_some()
                || arg.get_value_hint() != ValueHint::Unknown
                || !arg.get_possible_values().is_empty();
            if takes_value && !is_declared {
                into.push(arg.get_id().to_string());
            }
        }
        command.get_subcommands().for_each(|command| undeclared(command, into));
    }
    let mut command = Args::command();
    command.build();
    let mut found = Vec::new();
    undeclared(&command, &mut found);
    found.sort();
    found.dedup();
    // Numbers, patterns, and texts that only the user knows.
    expect!["api_key at attempts decision events exclude_tools forget from hunk idle_exit idle_timeout jobs limit max_cost max_seconds max_steps max_tokens max_tool_calls name part path query scopes shard since tail task_idle_timeout task_max_cost task_max_seconds task_max_steps task_max_tokens task_max_tool_calls task_timeout timeout to tools until words"].assert_eq(&found.join(" "));
}

#[test]
fn scripts_quote_the_name_and_the_path_of_the_program() {
    let odd = r#"/opt/it's "$(x)" \ `y`/pt"#;
    let line = |shell: Shell, part: &str| {
        let script = scripts::script(shell, odd).unwrap();
        script.lines().find(|line| line.contains(part)).unwrap().trim().to_owned()
    };
    expect![[r#"
        done < <(command '/opt/it'\''s "$(x)" \ `y`/pt' complete -- "${words[@]}" 2>/dev/null)
        lines=("${(@f)$(command '/opt/it'\''s "$(x)" \ `y`/pt' complete -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
        for line in (command '/opt/it\'s "$(x)" \\ `y`/pt' complete -- $words "$current" 2>/dev/null)
        foreach ($line in (& '/opt/it''s "$(x)" \ `y`/pt' complete @next -- @words 2>$null)) {
        let lines = try { ^"/opt/it's \"$(x)\" \\ `y`/pt" complete -- ...$spans | complete | get stdout | lines } catch { [] }"#]]
    .assert_eq(
        &[Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Powershell, Shell::Nushell]
            .map(|shell| line(shell, " complete "))
            .join("\n"),
    );
    let registered = [
        (Shell::Bash, "complete -F"),
        (Shell::Zsh, "compdef _"),
        (Shell::Fish, "complete --command"),
        (Shell::Powershell, "Register-"),
        (Shell::Nushell, "path basename"),
    ];
    expect![[r#"
        complete -F _pt_complete -- 'pt'
        compdef _pt 'pt'
        complete --command 'pt' --no-files --keep-order --arguments '(__pt_complete)'
        Register-ArgumentCompleter -Native -CommandName 'pt' -ScriptBlock {
        if ($spans | first | path basename | str replace --regex '\.exe$' '') != "pt" {"#]]
    .assert_eq(&registered.map(|(shell, part)| line(shell, part)).join("\n"));
    for program in ["", "/", "a\nb", ".."] {
        assert!(scripts::script(Shell::Bash, program).is_err(), "{program:?}");
    }
}
