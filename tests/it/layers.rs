//! The rules of `src/ARCHITECTURE.md` and of the repository, read from the text of the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &str, endings: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let is_ours = !path.ends_with("node_modules") && !path.ends_with("dist");
            if path.is_dir() && is_ours {
                folders.push(path);
            } else if endings.iter().any(|ending| path.to_string_lossy().ends_with(ending)) {
                let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
                found.push((name, std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// The table of imports: module → what it may import.
fn table() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(root().join("src/ARCHITECTURE.md")).unwrap();
    let table = text.split("## Who may import whom").nth(1).unwrap();
    let table = table.split("\n## ").next().unwrap();
    let names = |cell: &str| -> BTreeSet<String> {
        cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    table
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let mut cells = line.trim_matches('|').split('|');
            let module = names(cells.next().unwrap()).pop_first().unwrap();
            (module, names(cells.next().unwrap()))
        })
        .collect()
}

/// A source without the items that only tests are built with, each behind its `#[cfg(test)]`; what stands after them stays.
///
/// Such an item ends at the next line of its own indentation that opens nothing, as rustfmt lays it out.
fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        if line.trim() != "#[cfg(test)]" {
            kept.push_str(line);
            kept.push('\n');
            continue;
        }
        let ends_item = |line: &&str| {
            let code = line.trim_start();
            let is_beside = line.len() - code.len() == indent && !code.is_empty();
            is_beside && !code.starts_with("#[") && !code.ends_with(['{', '(', '['])
        };
        lines.by_ref().find(ends_item);
    }
    kept
}

/// The module that each path in a text names behind this beginning, such as `crate::`.
fn imports(text: &str, beginning: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for rest in text.split(beginning).skip(1) {
        let grouped = rest.strip_prefix('{').map(|group| group.split('}').next().unwrap());
        for path in grouped.map_or(vec![rest], |group| group.split(',').collect()) {
            let name: String =
                path.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            found.insert(name);
        }
    }
    found
}

/// The module of a source, such as `agent/turn`; `None` for the root of a crate.
fn module(name: &str) -> Option<String> {
    let mut parts = name.strip_prefix("src/")?.trim_end_matches(".rs").split('/');
    let (krate, module) = (parts.next()?, parts.next()?);
    (module != "lib").then(|| format!("{krate}/{module}"))
}

#[test]
fn imports_inside_a_crate_go_the_way_the_architecture_says() {
    let table = table();
    assert!(table.len() > 30, "the table was not found: {table:?}");
    let mut wrong = Vec::new();
    for (name, text) in files("src", &[".rs"]) {
        // Tests may use what they like.
        if name.ends_with("/tests.rs") || name.contains("/tests/") {
            continue;
        }
        let Some(module) = module(&name) else { continue };
        let krate = module.split('/').next().unwrap();
        let allowed = table.get(&module);
        let code = without_tests(&text);
        let mut imported = imports(&code, "crate::");
        // In the file of a module itself, `super` is the crate.
        let own = name.strip_prefix(&format!("src/{module}"));
        if own.is_some_and(|rest| matches!(rest, ".rs" | "/mod.rs")) {
            imported.extend(imports(&code, " super::"));
        }
        for import in imported {
            let import = format!("{krate}/{import}");
            let is_allowed = import == module || allowed.is_some_and(|row| row.contains(&import));
            if table.contains_key(&import) && !is_allowed {
                wrong.push(format!("{name} imports {import}"));
            }
        }
    }
    assert!(wrong.is_empty(), "not allowed by src/ARCHITECTURE.md:\n{}", wrong.join("\n"));
}

#[test]
fn crates_depend_on_each_other_as_the_architecture_says() {
    let text = std::fs::read_to_string(root().join("src/ARCHITECTURE.md")).unwrap();
    let section = text.split("## Crates").nth(1).unwrap().split("\n## ").next().unwrap();
    let mut rows = 0;
    for line in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        let names = |cell: &str| -> BTreeSet<String> {
            cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
        };
        let krate = names(cells[0]).pop_first().unwrap();
        let folder =
            krate.strip_prefix("pintle-").map_or(String::new(), |name| format!("src/{name}"));
        let manifest = std::fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let dependencies = manifest.split("\n[dependencies]\n").nth(1).unwrap();
        let used: BTreeSet<String> = dependencies
            .lines()
            .take_while(|line| !line.starts_with('['))
            .filter_map(|line| line.strip_suffix(".workspace = true"))
            .filter(|name| name.starts_with("pintle-") && *name != "pintle-protocol")
            .map(str::to_owned)
            .collect();
        assert_eq!(used, names(cells[2]), "{krate}");
        rows += 1;
    }
    assert_eq!(rows, 9, "a row for each crate");
}

#[test]
fn every_module_is_in_the_table() {
    let table = table();
    let declared = |krate: &str| -> BTreeSet<String> {
        let text = std::fs::read_to_string(root().join("src").join(krate).join("lib.rs")).unwrap();
        let code = without_tests(&text);
        let lines = code.lines().filter_map(|line| {
            line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')
        });
        lines.map(|module| format!("{krate}/{module}")).collect()
    };
    for krate in ["base", "session", "agent", "frontend"] {
        let rows: BTreeSet<String> =
            table.keys().filter(|row| row.split('/').next() == Some(krate)).cloned().collect();
        assert_eq!(declared(krate), rows, "{krate}");
    }
}

#[test]
fn a_module_of_the_agent_imports_only_from_those_above_it() {
    let text = std::fs::read_to_string(root().join("src/ARCHITECTURE.md")).unwrap();
    let table = table();
    let place = |module: &String| text.find(&format!("\n| `{module}` |")).unwrap();
    for (module, allowed) in table.iter().filter(|(module, _)| module.starts_with("agent/")) {
        for other in allowed {
            assert!(place(other) < place(module), "{module} stands above {other}");
        }
    }
}

#[test]
fn an_import_that_is_not_allowed_would_be_found() {
    let text = "use crate::agent::turn; use crate::{store, tools::Tool}; crate::llm::connect()";
    let want = ["agent", "llm", "store", "tools"].map(str::to_owned);
    assert_eq!(imports(text, "crate::"), BTreeSet::from(want));
    assert_eq!(imports(text, "crate::agent::"), BTreeSet::from(["turn".to_owned()]));
}

#[test]
fn code_behind_a_test_is_read_too() {
    for (name, text, want) in [
        ("a module at the end", "use a;\n#[cfg(test)]\nmod tests {\n    use b;\n}\n", "use a;\n"),
        ("a file", "#[cfg(test)]\nmod tests;\nuse c;\n", "use c;\n"),
        (
            "a function among others",
            "impl A {\n    #[cfg(test)]\n    #[must_use]\n    fn b(\n        c: D,\n    ) {\n        e();\n    }\n\n    fn f() {}\n}\n",
            "impl A {\n\n    fn f() {}\n}\n",
        ),
        ("a grouped import", "#[cfg(test)]\nuse crate::{\n    a,\n};\nuse b;\n", "use b;\n"),
        (
            "a field",
            "struct A {\n    #[cfg(test)]\n    b: C,\n    d: E,\n}\n",
            "struct A {\n    d: E,\n}\n",
        ),
        ("no test", "use a;\n", "use a;\n"),
    ] {
        assert_eq!(without_tests(text), want, "{name}");
    }
}

/// Where code may depend on the operating system.
const OF_THE_SYSTEM: &[&str] = &["src/os/", "src/exec/sandbox/"];

#[test]
fn what_may_be_used_in_one_place_only_is_used_there() {
    // What, where, and why it is kept there.
    let rows: [(&str, &[&str]); 19] = [
        (
            "reqwest::",
            &[
                "src/base/network/",
                "src/llm/http.rs",
                "src/tools/mcp/login",
                "src/tools/mcp/sdk/",
                "src/tools/fetch/net.rs",
            ],
        ),
        // In the network of a confined command, which has nothing else in it; and on the loopback, for the browser of a person who
        // logs in.
        (
            "TcpListener",
            &[
                "src/exec/sandbox/linux/child.rs",
                "src/exec/sandbox/linux/proxy/",
                "src/base/oauth_redirect.rs",
                // The loopback port for the WebSockets of clients: bound, and accepted from.
                "src/cli/shared.rs",
                "src/frontend/listen/",
            ],
        ),
        (
            "TcpStream",
            &[
                "src/exec/sandbox/linux/proxy/",
                "src/base/oauth_redirect.rs",
                "src/frontend/listen/",
            ],
        ),
        ("UnixListener", &["src/os/"]),
        ("UnixStream", &["src/os/", "src/exec/sandbox/linux/"]),
        (
            "lookup_host",
            &["src/tools/fetch/net.rs", "src/exec/sandbox/linux/proxy/", "src/tools/mcp/login/"],
        ),
        (
            "Mutex",
            &[
                "src/frontend/methods/connection.rs",
                "src/agent/config/live.rs",
                "src/llm/",
                "src/exec/",
                "src/exec/editor/",
                // The jobs of Windows, and its pipes.
                "src/os/windows/",
                // The processes that macOS tells apart by numbers.
                "src/os/unix/descendants/",
                "src/tools/mcp/",
                "src/tools/read_tracker.rs",
                "src/session/store/index/database.rs",
                // Shared by the threads that read and print.
                "src/cli/chat/editor.rs",
            ],
        ),
        ("unsafe {", &["src/os/", "src/exec/sandbox/linux/"]),
        // What differs between systems.
        ("cfg(unix", OF_THE_SYSTEM),
        ("windows)", OF_THE_SYSTEM),
        ("target_os", OF_THE_SYSTEM),
        ("std::os::", OF_THE_SYSTEM),
        ("nix::", OF_THE_SYSTEM),
        ("rustix::", OF_THE_SYSTEM),
        (
            ".spawn(",
            &[
                "src/cli/mod.rs",
                // Passes bytes on, and starts the engine that clients share.
                "src/cli/attach.rs",
                // Threads that read a terminal's lines and print above them.
                "src/cli/chat/",
                // Starts the workers of a batch.
                "src/cli/batch/pool.rs",
                // A task for each client.
                "src/frontend/listen/",
                "src/agent/engine/",
                "src/base/transport/stdio.rs",
                "src/os/",
                // A thread for each document, which may have to be abandoned.
                "src/base/pdf/mod.rs",
                // A task for each server.
                "src/tools/mcp/server.rs",
                "src/exec/",
            ],
        ),
        ("unbounded", &[]),
        // What people read goes through `screen`, which draws what a terminal would obey. These print other things: frames of a
        // protocol, lines of JSON that are escaped, and texts of the program's own.
        (
            "io::stdout()",
            &[
                "src/base/text/screen.rs",
                "src/os/",
                // The supervisor has no terminal.
                "src/exec/sandbox/linux/helper.rs",
                "src/cli/attach.rs",
                // Text that was made visible before it was coloured.
                "src/cli/chat/",
                "src/cli/help/mod.rs",
                "src/cli/replay.rs",
                "src/cli/schema.rs",
                // These ask whether stdout is a terminal.
                "src/cli/sessions/mod.rs",
                "src/cli/sessions/transcript.rs",
            ],
        ),
        ("io::stderr()", &["src/base/text/screen.rs", "src/os/", "src/cli/batch/report.rs"]),
        (
            ".raw()",
            &[
                "src/base/text/screen.rs",
                "src/cli/batch/report.rs",
                "src/cli/chat/mod.rs",
                "src/cli/sessions/mod.rs",
            ],
        ),
    ];
    let mut wrong = Vec::new();
    for (name, text) in files("src", &[".rs"]) {
        if name.ends_with("tests.rs") || name.contains("/tests/") {
            continue;
        }
        let code = without_tests(&text);
        for (what, places) in rows {
            let used = code.lines().any(|line| {
                let line = line.trim_start();
                !line.starts_with("//") && line.contains(what)
            });
            if used && !places.iter().any(|place| name.starts_with(place)) {
                wrong.push(format!("{name} uses {what}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_are_short_and_say_what_they_are_for() {
    // A file of more than 500 lines should have a reason; one of more than 800 should be split by concept. A fragment
    // that exists only to keep another file under a limit is worse than a longer file.
    const MAX_LINES: usize = 800;
    let mut wrong = Vec::new();
    let sources = ["src", "protocol/src", "protocol/bin", "tests/it"];
    for (name, text) in sources.iter().flat_map(|folder| files(folder, &[".rs"])) {
        // Transcripts and tables of methods are long because they are lists.
        let is_list = name == "tests/it/scenarios.rs" || name == "protocol/src/methods.rs";
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let lines = code.lines().count();
        if lines > MAX_LINES && !is_list {
            wrong.push(format!("{name} has {lines} lines"));
        }
        if !text.starts_with("//!")
            && !text.starts_with("#![doc")
            && !name.ends_with("tests.rs")
            && !name.contains("/tests/")
        {
            wrong.push(format!("{name} does not say what it is for"));
        }
        if text
            .lines()
            .any(|line| line.ends_with(' ') && !line.trim().is_empty() && !line.contains("mode"))
        {
            wrong.push(format!("{name} has space at the end of a line"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_is_left_undone() {
    let marks = ["todo!(", "unimplemented!(", "dbg!(", "FIXME", "XXX"].map(str::to_owned);
    let mut wrong = Vec::new();
    for (name, text) in files("src", &[".rs"]).iter().chain(&files("protocol", &[".rs"])) {
        wrong.extend(
            marks.iter().filter(|mark| text.contains(*mark)).map(|m| format!("{name}: {m}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_test_file_is_run() {
    let main = std::fs::read_to_string(root().join("tests/it/main.rs")).unwrap();
    for entry in std::fs::read_dir(root().join("tests/it")).unwrap().flatten() {
        let path = entry.path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            name == "main" || main.contains(&format!("mod {name};")),
            "{name} is not in main.rs"
        );
    }
    assert!(Path::new(&root()).join("tests/golden/demo.txt").exists());
}
