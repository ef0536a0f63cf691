#![expect(clippy::disallowed_methods, reason = "tests make the files that they read")]

mod generated;
mod guide;
mod live;
mod models;

use super::*;
use expect_test::expect;
use pintle_base::ambient::Ambient;
use pintle_os::names;
use pintle_testing::paths::absolute;
use std::fs;
use std::num::NonZero;
use std::path::Path;

fn ambient(vars: &[(&str, &str)]) -> Ambient {
    Ambient::fixed(vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
}

/// Renders a provider, without unset fields and with secrets shown.
fn row(provider: &ProviderEntry) -> String {
    let text = |source: &TextSource| match source {
        TextSource::Text(text) => text.expose().to_owned(),
        TextSource::Fetched(command) => format!("!{command}"),
    };
    let headers: Vec<_> =
        provider.headers.iter().map(|(name, source)| format!("{name}={}", text(source))).collect();
    let parts = [
        provider.base_url.clone(),
        provider.api.map(|api| api.name().to_owned()),
        provider.key.as_ref().map(|key| format!("key {}", text(key))),
        (!headers.is_empty()).then(|| headers.join(" ")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Returns a text with a directory and the paths in it below `HOME`, with `/` on every system.
fn in_home(text: &str, home: &str) -> String {
    text.replace(home, "HOME").replace("HOME\\", "HOME/")
}

/// Loads this config file from a separate home directory, shown as `HOME`.
fn loaded(file: &str, vars: &[(&str, &str)], flags: Flags) -> String {
    let home = tempfile::tempdir().unwrap();
    pintle_base::private_files::write_private(&home.path().join("config.toml"), file.as_bytes())
        .unwrap();
    let path = home.path().to_str().unwrap();
    let vars = [vars, &[("PINTLE_HOME", path)]].concat();
    let shown = match load(&ambient(&vars), flags) {
        Ok(config) => {
            let Settings { model, permission_mode: mode, tools, .. } = &config.settings;
            let model =
                model.as_ref().map(|m| format!("{} ({})", m.value, config.origin(&m.source)));
            let mut lines = vec![
                format!("model {}", model.unwrap_or_default()),
                format!("mode {:?} ({})", mode.value, config.origin(&mode.source)),
            ];
            let tools = [("profile", &tools.profile), ("read first", &tools.read_first)];
            lines.extend(
                tools.into_iter().filter_map(|(key, set)| Some(format!("{key} {}", set.as_ref()?))),
            );
            let named = config.providers.iter();
            lines.extend(named.map(|(name, provider)| format!("{name}: {}", row(provider))));
            lines.extend(config.server.map(|server| format!("{server:?}")));
            lines.extend(config.warnings);
            lines.join("\n")
        }
        Err(error) => format!("error: {error}"),
    };
    in_home(&shown, path)
}

#[test]
fn later_layers_win_and_each_value_knows_where_it_came_from() {
    let file = "model = \"a/file\"\npermission_mode = \"full\"\n[tools]\nprofile = \"gemini\"\nread_first = \"always\"\ncolour = 1\n";
    let flags = Flags {
        model: Some("a/flag".to_owned()),
        permission_mode: Some(PermissionMode::Ask),
        profile: Some("openai".to_owned()),
        base_url: Some("http://x".to_owned()),
        api: Some("chat".to_owned()),
        ..Flags::default()
    };
    expect![[r"
        model 
        mode Ask (built in)"]]
    .assert_eq(&loaded("", &[], Flags::default()));
    expect![[r"
        model a/file (HOME/config.toml)
        mode Full (HOME/config.toml)
        profile gemini
        read first always
        HOME/config.toml:6:1: `tools.colour` is unknown and ignored"]]
    .assert_eq(&loaded(file, &[], Flags::default()));
    expect![[r"
        model a/variable (PINTLE_MODEL)
        mode Full (HOME/config.toml)
        profile gemini
        read first always
        HOME/config.toml:6:1: `tools.colour` is unknown and ignored"]]
    .assert_eq(&loaded(file, &[("PINTLE_MODEL", "a/variable")], Flags::default()));
    expect![[r#"
        model a/flag (--model)
        mode Ask (--permission)
        profile openai
        read first always
        Server { base_url: "http://x", api: Some("chat") }
        HOME/config.toml:6:1: `tools.colour` is unknown and ignored"#]]
    .assert_eq(&loaded(file, &[("PINTLE_MODEL", "a/variable")], flags));
}

#[test]
fn providers_take_keys_as_written_from_variables_or_from_commands() {
    let file = r#"
        surprise = 1
        [providers.local]
        base_url = "http://localhost:1/v1"
        api = "chat"
        key = "as written"
        headers = { "X-Team" = "$TEAM", "X-Plain" = "p" }
        colour = "red"
        [providers.remote]
        base_url = "https://h"
        api = "messages"
        key = "$REMOTE_KEY"
        [providers.none]
        key = "$UNSET"
        [providers.printed]
        key = "! pass show x"
    "#;
    expect![[r"
        model 
        mode Ask (built in)
        local: http://localhost:1/v1 chat key as written X-Plain=p X-Team=$TEAM
        none: key $UNSET
        printed: key !pass show x
        remote: https://h messages key $REMOTE_KEY
        HOME/config.toml:2:9: `surprise` is unknown and ignored
        HOME/config.toml:8:9: `providers.local.colour` is unknown and ignored"]]
    .assert_eq(&loaded(file, &[], Flags::default()));
}

#[test]
fn a_config_file_that_makes_no_sense_is_said_with_its_place() {
    let rows = [
        "model = 5",
        "permission_mode = \"maybe\"",
        "providers = 1",
        "retries = -1",
        "[providers.x]\nkey = \"! \"",
        "[providers.x]\nkey = \"file:key\"",
        "[providers.x]\nkey = \"keyring:pintle\"",
        "[providers.x]\napi = \"soap\"",
        "[[rules]]\ndecision = \"allow\"",
        "[[rules]]\ndecision = \"deny\"\nargv = [\"a\", \"**\", \"b\"]",
        "[[rules]]\ndecision = \"ask\"\nargv = [\"a\"]\nsandbox = \"off\"",
        "[[rules]]\ndecision = \"deny\"\npath = \"app/x[/q\"",
        "models_files = \"x\"",
        "model = 2026-01-01",
        "limits.cost_usd = nan",
        "[[rules]]\nargv = [\"a\"]",
        "[[rules]]\ndecision = \"deny\"\nargs = [\"a\"]",
        "[[rules]]\ndecision = \"no\"",
        "rules = 1",
        "mcp_servers = 1",
        "tools.allow = \"read\"",
    ];
    let told = rows.map(|file| loaded(file, &[], Flags::default()));
    expect![[r#"
        error: HOME/config.toml:1:9: `model` must be a quoted string
        error: HOME/config.toml:1:19: `permission_mode` must be one of "read-only", "ask", "auto-edit", "full"
        error: HOME/config.toml:1:13: `providers` must be tables: [providers.NAME]
        error: HOME/config.toml:1:11: `retries` must be a whole number of at least 0
        error: HOME/config.toml:2:7: `providers.x.key` must be a command after the !
        error: HOME/config.toml:2:7: `providers.x.key` must be a path that starts with / or ~/ after file:
        error: HOME/config.toml:2:7: `providers.x.key` must be SERVICE/USER after keyring:
        error: HOME/config.toml:2:7: `providers.x.api` must be one of "messages", "chat", "responses", "gemini"
        error: HOME/config.toml:1:1: rule 1: a rule needs at least one of `kind`, `tool`, `argv`, `path` and `host`
        error: HOME/config.toml:1:1: rule 1: `argv` is a list of words, of which only the last can be `**`
        error: HOME/config.toml:1:1: rule 1: `sandbox = "off"` requires `decision = "allow"`
        error: HOME/config.toml:1:1: rule 1: `path = "app/x[/q"` is not a pattern: unclosed character class; missing ']'
        error: HOME/config.toml:1:16: `models_files` must be a list of strings
        error: HOME/config.toml:1:9: `model` must be a quoted string
        error: HOME/config.toml:1:19: `limits.cost_usd` must be an amount in US dollars, such as 0.5
        error: HOME/config.toml:1:1: `rules[0].decision` is missing; it must be one of "allow", "ask", "deny"
        error: HOME/config.toml:3:1: `rules[0].args` is unknown; did you mean `argv`?
        error: HOME/config.toml:2:12: `rules[0].decision` must be one of "allow", "ask", "deny"
        error: HOME/config.toml:1:9: `rules` must be tables: [[rules]]
        error: HOME/config.toml:1:15: `mcp_servers` must be tables: [mcp_servers.NAME]
        error: HOME/config.toml:1:15: `tools.allow` must be a list of strings, such as ["read", "grep", "find"]"#]].assert_eq(&told.join("\n"));
    // The line itself is not told: it may hold a key.
    let broken = loaded("retries = 1\n[providers.x]\nkey = \"sk-1", &[], Flags::default());
    assert!(broken.starts_with("error: HOME/config.toml:3:"), "{broken}");
    assert!(broken.contains(": not valid TOML: ") && !broken.contains("sk-1"), "{broken}");
}

#[test]
fn very_many_unknown_keys_are_counted() {
    let keys: Vec<String> = (0..20_000).map(|key| format!("key{key} = 1\n")).collect();
    let file = file::parse(&keys.concat(), Path::new("c"), &ambient(&[])).unwrap();
    assert_eq!(file.warnings.len(), 101);
    assert_eq!(file.warnings[100], "c: 19900 more unknown keys");
}

#[test]
fn instructions_are_those_of_the_file_and_of_the_one_it_names() {
    for (name, file, want) in [
        ("none", "", Ok(None)),
        ("in the file", "instructions = \"Be kind.\"", Ok(Some("Be kind."))),
        ("in another", "instructions_file = \"more.md\"", Ok(Some("From a file.\n"))),
        (
            "in both",
            "instructions = \"Be kind.\"\ninstructions_file = \"more.md\"",
            Ok(Some("Be kind.\n\nFrom a file.\n")),
        ),
        ("blank", "instructions = \" \"", Ok(None)),
        (
            "no text",
            "instructions = 1",
            Err("HOME/config.toml:1:16: `instructions` must be a quoted string"),
        ),
        (
            "not there",
            "instructions_file = \"none.md\"",
            Err(
                "HOME/config.toml: `instructions_file` refers to HOME/none.md, which does not exist",
            ),
        ),
        (
            "a variable that is not set",
            "instructions_file = \"$NO/none.md\"",
            Err("HOME/config.toml: `instructions_file` refers to NO, which is not set"),
        ),
    ] {
        let home = tempfile::tempdir().unwrap();
        pintle_base::private_files::write_private(
            &home.path().join("config.toml"),
            file.as_bytes(),
        )
        .unwrap();
        fs::write(home.path().join("more.md"), "From a file.\n").unwrap();
        let path = home.path().to_str().unwrap();
        let loaded = load(&ambient(&[("PINTLE_HOME", path)]), Flags::default());
        let got = loaded.map(|config| config.settings.all_instructions());
        let got = got.map_err(|error| in_home(&error.to_string(), path));
        let want = want.map(|text| text.map(str::to_owned)).map_err(str::to_owned);
        assert_eq!(got, want, "{name}");
    }
}

#[test]
fn folders_follow_pintle_home_then_xdg_then_home() {
    let rows: [(&[(&str, &str)], &str); 5] = [
        (&[("PINTLE_HOME", "/p"), ("HOME", "/h")], "/p/config.toml /p"),
        (&[("HOME", "/h")], "/h/.config/pintle/config.toml /h/.local/share/pintle"),
        (
            &[("HOME", "/h"), ("XDG_DATA_HOME", "/d"), ("XDG_CONFIG_HOME", "rel")],
            "/h/.config/pintle/config.toml /d/pintle",
        ),
        (&[], "no home directory to store sessions in"),
        (&[("PINTLE_HOME", "here")], "PINTLE_HOME is `here`"),
    ];
    for (vars, want) in rows {
        let vars: Vec<_> = vars.iter().map(|(name, value)| (*name, absolute(value))).collect();
        let vars: Vec<_> = vars.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let got = match load(&ambient(&vars), Flags::default()) {
            Ok(c) => [c.folders.config_file, c.folders.data]
                .map(|path| names::shown(&path).into_owned())
                .join(" "),
            Err(error) => error.to_string(),
        };
        assert_eq!(got, absolute(want));
    }
}

#[test]
fn what_stands_in_the_way_of_the_data_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    fs::write(folder.path().join("file"), "x").unwrap();
    fs::create_dir(folder.path().join("real")).unwrap();
    pintle_testing::files::symlink("real", folder.path().join("link"));
    pintle_testing::files::symlink("gone", folder.path().join("dangling"));
    for (name, place, want) in [
        ("PINTLE_HOME", "real", None),
        ("PINTLE_HOME", "link", None),
        ("PINTLE_HOME", "not/made/yet", None),
        ("PINTLE_HOME", "file", Some("PINTLE_HOME is `HERE/file`, which is not a directory")),
        (
            "PINTLE_HOME",
            "file/below",
            Some("PINTLE_HOME is `HERE/file/below`, but `HERE/file` is not a directory"),
        ),
        ("PINTLE_HOME", "dangling", Some("PINTLE_HOME is `HERE/dangling`, which is a broken link")),
        (
            "HOME",
            "file",
            Some(
                "the session directory is `HERE/file/.local/share/pintle`, but `HERE/file` is not a directory",
            ),
        ),
        (
            "XDG_DATA_HOME",
            "file",
            Some("the session directory is `HERE/file/pintle`, but `HERE/file` is not a directory"),
        ),
    ] {
        let place = format!("{path}/{place}");
        let loaded = load(&ambient(&[("HOME", path), (name, &place)]), Flags::default());
        let got = loaded.err().map(|error| {
            assert!(error.hint.as_deref().unwrap().contains("set PINTLE_HOME"), "{place}");
            error.to_string().lines().next().unwrap().replace(path, "HERE")
        });
        assert_eq!(got.as_deref(), want, "{place}");
    }
}

#[test]
fn where_tools_act_is_said_in_the_file_and_by_flags() {
    let environment = |file: &str, flags| {
        let home = tempfile::tempdir().unwrap();
        pintle_base::private_files::write_private(
            &home.path().join("config.toml"),
            file.as_bytes(),
        )
        .unwrap();
        let path = home.path().to_str().unwrap();
        let told = match load(&ambient(&[("PINTLE_HOME", path)]), flags) {
            Ok(config) => {
                let e = &config.settings.environment;
                format!(
                    "{:?} ({}) {:?} ({}) {:?} {:?} {:?}{}",
                    e.wrap.value,
                    config.origin(&e.wrap.source),
                    e.read_only.value,
                    config.origin(&e.read_only.source),
                    e.shell,
                    e.command_prefix,
                    e.variables,
                    config.warnings.concat()
                )
            }
            Err(error) => error.to_string(),
        };
        in_home(&told, path)
    };
    let flags =
        Flags { wrap: Some(vec!["ssh".into(), "b".into()]), read_only: true, ..Flags::default() };
    let rows = [
        ("", Flags::default(), "[] (built in) false (built in) None None Filtered"),
        (
            "[environment]\nwrap = [\"ssh\", \"a\"]\nread_only = true\nshell = \"/bin/zsh\"\n\
             command_prefix = \"set -e\"\nvariables = \"core\"\n",
            Flags::default(),
            "[\"ssh\", \"a\"] (HOME/config.toml) true (HOME/config.toml) Some(\"/bin/zsh\") Some(\"set -e\") Core",
        ),
        (
            "[environment]\nwrap = [\"ssh\", \"a\"]\n",
            flags,
            "[\"ssh\", \"b\"] (--wrap) true (--read-only) None None Filtered",
        ),
        (
            "[environment]\nwrap = \"ssh a\"\n",
            Flags::default(),
            "HOME/config.toml:2:8: `environment.wrap` must be a list of strings, such as [\"ssh\", \"host\"]",
        ),
        (
            "[environment]\nvariables = \"some\"\n",
            Flags::default(),
            "HOME/config.toml:2:13: `environment.variables` must be one of \"filtered\", \"all\", \"core\", \"none\"",
        ),
        (
            "[environment]\nshell = \"zsh\"\n",
            Flags::default(),
            "HOME/config.toml:2:9: `environment.shell` must be an absolute path, such as \"/bin/zsh\"",
        ),
        (
            "[environment]\nshell = \"/mnt/c/Windows/System32/cmd.exe\"\n",
            Flags::default(),
            "HOME/config.toml:2:9: `environment.shell` must be the path of Git's bash or of PowerShell; cmd.exe and WSL's bash are not supported",
        ),
        (
            "[environment]\nwarp = 9\n",
            Flags::default(),
            "[] (built in) false (built in) None None FilteredHOME/config.toml:2:1: `environment.warp` is unknown and ignored; did you mean `wrap`?",
        ),
    ];
    for (file, flags, want) in rows {
        // The example in a message is a shell of the system.
        let want = absolute(want)
            .replace(r#"such as "C:/bin/zsh""#, r#"such as "C:/Program Files/Git/bin/bash.exe""#);
        assert_eq!(environment(&absolute(file), flags), want, "{file}");
    }
}

#[test]
fn tools_are_set_in_a_table_of_their_own() {
    let set = |file: &str, flags: Flags| {
        let home = tempfile::tempdir().unwrap();
        pintle_base::private_files::write_private(
            &home.path().join("config.toml"),
            file.as_bytes(),
        )
        .unwrap();
        let path = home.path().to_str().unwrap();
        load(&ambient(&[("PINTLE_HOME", path)]), flags)
            .map(|config| (config.settings.tools, config.warnings.len()))
            .map_err(|error| in_home(&error.to_string(), path))
    };
    let flag = || Flags { web_fetch: true, ..Flags::default() };
    let searches = || Flags { web_search: true, ..Flags::default() };
    let all = "[tools]\nblock_images = true\nmax_image_side = 800\nmax_image_bytes = 9000\n\
               web_fetch = true\nweb_fetch_private = true\nweb_search = true\nallow = [\"read\"]\ncommand_timeout_s = 5\n\
               max_command_timeout_s = 50\nmax_output_lines = 10\nmax_output_bytes = 1000\n";
    let none = ToolSettings::default;
    let every = ToolSettings {
        profile: None,
        read_first: None,
        block_images: true,
        max_image_side: NonZero::new(800),
        max_image_bytes: NonZero::new(9000),
        web_fetch: true,
        web_fetch_private: true,
        web_search: true,
        allow: Some(vec!["read".to_owned()]),
        command_timeout_s: Some(5.try_into().unwrap()),
        max_command_timeout_s: Some(50.try_into().unwrap()),
        max_output_lines: NonZero::new(10),
        max_output_bytes: Some(1000),
    };
    let wrong = |what: &str| Err(format!("HOME/config.toml:{what}"));
    for (name, file, flags, want) in [
        ("nothing", "", Flags::default(), Ok((none(), 0))),
        ("everything", all, Flags::default(), Ok((every, 0))),
        ("the flag", "", flag(), Ok((ToolSettings { web_fetch: true, ..none() }, 0))),
        ("that of searches", "", searches(), Ok((ToolSettings { web_search: true, ..none() }, 0))),
        ("an unknown key", "[tools]\nfoo = 1", Flags::default(), Ok((none(), 1))),
        ("no table", "tools = 1", Flags::default(), wrong("1:9: `tools` must be a table: [tools]")),
        (
            "a text for a flag",
            "[tools]\nweb_fetch = \"yes\"",
            Flags::default(),
            wrong("2:13: `tools.web_fetch` must be true or false"),
        ),
        (
            "no size",
            "[tools]\nmax_image_side = 0",
            Flags::default(),
            wrong("2:18: `tools.max_image_side` must be a whole number of at least 1"),
        ),
        (
            "vision of a provider",
            "[providers.x]\nvision = 1",
            Flags::default(),
            wrong("2:10: `providers.x.vision` must be true or false"),
        ),
    ] {
        assert_eq!(set(file, flags), want, "{name}");
    }
}

#[test]
fn limits_are_set_in_a_table_of_their_own() {
    let set = |file: &str| {
        let home = tempfile::tempdir().unwrap();
        pintle_base::private_files::write_private(
            &home.path().join("config.toml"),
            file.as_bytes(),
        )
        .unwrap();
        let path = home.path().to_str().unwrap();
        load(&ambient(&[("PINTLE_HOME", path)]), Flags::default())
            .map(|config| (config.settings.limits, config.warnings.len()))
            .map_err(|error| in_home(&error.to_string(), path))
    };
    let all = "[limits]\nsteps = 9\ntool_calls = 50\ntokens = 1000\ncost_usd = 0.25\nseconds = 60\ncontinuations = 0\nturns = 7\nloop_window = 20\nsubagent_depth = 2\n";
    let every = LimitSettings {
        steps: NonZero::new(9),
        tool_calls: NonZero::new(50),
        tokens: NonZero::new(1000),
        cost_usd: Some(NanoUsd(250_000_000)),
        seconds: NonZero::new(60),
        continuations: Some(0),
        turns: NonZero::new(7),
        loop_window: Some(20),
        subagent_depth: Some(2),
    };
    let whole =
        LimitSettings { cost_usd: Some(NanoUsd(2_000_000_000)), ..LimitSettings::default() };
    let wrong = |what: &str| Err(format!("HOME/config.toml:{what}"));
    for (file, want) in [
        ("", Ok((LimitSettings::default(), 0))),
        (all, Ok((every, 0))),
        ("[limits]\ncost_usd = 2", Ok((whole, 0))),
        ("[limits]\nstep = 2", Ok((LimitSettings::default(), 1))),
        (
            "[limits]\nloop_window = 3",
            wrong(
                "2:15: `limits.loop_window` must be a number of calls from 4 to 1000, or 0 for no check",
            ),
        ),
        ("limits = 1", wrong("1:10: `limits` must be a table: [limits]")),
        ("[limits]\nsteps = 0", wrong("2:9: `limits.steps` must be a whole number of at least 1")),
        (
            "[limits]\ncost_usd = -1",
            wrong("2:12: `limits.cost_usd` must be an amount in US dollars, such as 0.5"),
        ),
    ] {
        assert_eq!(set(file), want, "{file}");
    }
}

#[test]
fn the_compaction_policy_is_set_in_the_context_table() {
    let set = |file: &str| {
        let home = tempfile::tempdir().unwrap();
        pintle_base::private_files::write_private(
            &home.path().join("config.toml"),
            file.as_bytes(),
        )
        .unwrap();
        let path = home.path().to_str().unwrap();
        load(&ambient(&[("PINTLE_HOME", path)]), Flags::default())
            .map(|config| (config.settings.context, config.warnings.len()))
            .map_err(|error| in_home(&error.to_string(), path))
    };
    let none = ContextSettings::default;
    let every = ContextSettings {
        automatic: Some(false),
        reserve: Some(Tokens(9000)),
        keep_recent_tokens: Some(Tokens(12_000)),
        prune_above: Some(PruneAbove::Percent(50)),
        summary_model: Some("a/small".to_owned()),
    };
    let zone = |safe| Ok((ContextSettings { prune_above: Some(safe), ..none() }, 0));
    let wrong = |what: &str| Err(format!("HOME/config.toml:{what}"));
    for (file, want) in [
        ("", Ok((none(), 0))),
        (
            "[context]\nautomatic = false\nreserve = 9000\nkeep_recent_tokens = \"12k\"\nprune_above = \"50%\"\nsummary_model = \"a/small\"",
            Ok((every, 0)),
        ),
        ("[context]\nprune_above = \"80k\"", zone(PruneAbove::Tokens(80_000))),
        ("[context]\nprune_above = 70000", zone(PruneAbove::Tokens(70_000))),
        ("[context]\nsave = 1", Ok((none(), 1))),
        (
            "[context]\nprune_above = \"0%\"",
            wrong(
                "2:15: `context.prune_above` must be tokens, such as 80000 or \"80k\", or a share such as \"60%\"",
            ),
        ),
        (
            "[context]\nkeep_recent_tokens = \"much\"",
            wrong("2:22: `context.keep_recent_tokens` must be tokens, such as 20000 or \"20k\""),
        ),
    ] {
        assert_eq!(set(file), want, "{file}");
    }
}

#[test]
fn hooks_are_read_in_order_and_a_wrong_one_says_where() {
    let rows = [
        (
            "whole",
            "[[hooks]]\npoint = \"beforeToolCall\"\ncommand = \"check\"\ntools = [\"bash\", \"edit*\"]\ntimeout_s = 5\non_failure = \"open\"",
        ),
        ("short", "[[hooks]]\npoint = \"sessionStart\"\ncommand = \"hello\""),
        (
            "two",
            "[[hooks]]\npoint = \"sessionStart\"\ncommand = \"a\"\n[[hooks]]\npoint = \"sessionEnd\"\ncommand = \"b\"",
        ),
        ("of a fork", "[[hooks]]\npoint = \"sessionFork\"\ncommand = \"a\""),
        ("no point", "[[hooks]]\ncommand = \"a\""),
        ("an odd point", "[[hooks]]\npoint = \"never\"\ncommand = \"a\""),
        ("no command", "[[hooks]]\npoint = \"sessionEnd\""),
        ("one table", "[hooks]\npoint = \"sessionEnd\""),
        ("no time", "[[hooks]]\npoint = \"sessionEnd\"\ncommand = \"a\"\ntimeout_s = 0"),
        (
            "an odd failure",
            "[[hooks]]\npoint = \"sessionEnd\"\ncommand = \"a\"\non_failure = \"x\"",
        ),
        ("an odd key", "[[hooks]]\npoint = \"sessionEnd\"\ncommand = \"a\"\ncolour = 1"),
        (
            "tools at a point without calls",
            "[[hooks]]\npoint = \"sessionEnd\"\ncommand = \"a\"\ntools = [\"bash\"]",
        ),
    ];
    let told = rows.map(|(name, text)| {
        let read = file::parse(text, Path::new("c"), &ambient(&[]));
        let said = read.map(|file| {
            let hooks = file.settings.hooks.iter().map(|hook| format!("{hook:?}"));
            let hooks = hooks.collect::<Vec<_>>().join(" + ");
            [hooks].into_iter().chain(file.warnings).collect()
        });
        let said: Vec<_> = said.unwrap_or_else(|error| vec![error.message]);
        format!("{name}: {}", said.join(" "))
    });
    expect_test::expect![[r#"
        whole: HookSettings { point: BeforeToolCall, command: "check", tools: Some(["bash", "edit*"]), timeout_s: Some(Seconds(5)), on_failure: Open }
        short: HookSettings { point: SessionStart, command: "hello", tools: None, timeout_s: None, on_failure: Closed }
        two: HookSettings { point: SessionStart, command: "a", tools: None, timeout_s: None, on_failure: Closed } + HookSettings { point: SessionEnd, command: "b", tools: None, timeout_s: None, on_failure: Closed }
        of a fork: HookSettings { point: SessionFork, command: "a", tools: None, timeout_s: None, on_failure: Closed }
        no point: c:1:1: `hooks[0].point` is missing; it must be one of "inputReceived", "beforeAgent", "contextBuilt", "beforeModelRequest", "afterModelResponse", "beforeToolCall", "afterToolCall", "sessionCompact", "sessionStart", "sessionFork", "sessionSwitch", "sessionEnd"
        an odd point: c:2:9: `hooks[0].point` must be one of "inputReceived", "beforeAgent", "contextBuilt", "beforeModelRequest", "afterModelResponse", "beforeToolCall", "afterToolCall", "sessionCompact", "sessionStart", "sessionFork", "sessionSwitch", "sessionEnd"
        no command: c:1:1: `hooks[0].command` is missing; it must be a quoted string
        one table: c:1:1: `hooks` must be tables: [[hooks]]
        no time: c:4:13: `hooks[0].timeout_s` must be a whole number of at least 1
        an odd failure: c:4:14: `hooks[0].on_failure` must be one of "closed", "open"
        an odd key: HookSettings { point: SessionEnd, command: "a", tools: None, timeout_s: None, on_failure: Closed } c:4:1: `hooks[0].colour` is unknown and ignored
        tools at a point without calls: HookSettings { point: SessionEnd, command: "a", tools: Some(["bash"]), timeout_s: None, on_failure: Closed } c:4:1: `hooks[0].tools` has no effect at this point and is ignored"#]].assert_eq(&told.join("\n"));
}
