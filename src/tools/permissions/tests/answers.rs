//! What is offered with a question, and what an answer covers afterwards.

use super::*;

#[test]
fn proposals_are_rules_that_allow_the_command_and_little_more() {
    let places = places();
    let rules = rules(&places);
    let ctx = Context {
        mode: PermissionMode::Ask,
        is_trusted: true,
        sandbox: Sandbox::Missing,
        places: &places,
        rules: &rules,
    };
    let shown =
        |line: &str| {
            let call = call(line, &places);
            let verdict = decide(&call, &ctx);
            let proposed = propose(&call, &verdict, &ctx);
            // With the proposed rules the same call is allowed.
            if !proposed.is_empty() {
                let mut all = rules.clone();
                all.extend(proposed.iter().map(|rule| {
                    rule.compile(Origin::GrantedForSession, &places.roots, None).unwrap()
                }));
                let ctx = Context { rules: &all, ..ctx };
                assert_eq!(decide(&call, &ctx).decision, Decision::Allow, "{line}");
            }
            let texts: Vec<String> = proposed.iter().map(Rule::to_string).collect();
            let proposed = if texts.is_empty() { "none".to_owned() } else { texts.join(", ") };
            format!("{line}: {proposed}")
        };
    let lines = [
        "cargo build --release",
        "git add .",
        "git -C x add .",
        "git checkout main && cargo build",
        "npm run build",
        "npm install",
        "make install",
        "gh pr create",
        "python3 x.py",
        "rm -rf build",
        "rm *.o",
        "rm '*'",
        "sudo rm x",
        "A=b cargo build",
        "sh -c 'cargo build'",
        "$x",
        "npm publish",
        "mkdir a && touch b && cp a b && mv a b",
        "echo x > a.txt",
        "cargo run",
        "cargo $x",
        "pytest -k $x",
        "/opt/x/cargo build",
        "git push",
        "ls",
    ];
    expect_test::expect![[r"
        cargo build --release: allow `cargo build **`
        git add .: allow `git add **`
        git -C x add .: allow `git -C x add .`
        git checkout main && cargo build: allow `git checkout **`, allow `cargo build **`
        npm run build: allow `npm run build`
        npm install: allow `npm install **`
        make install: allow `make install **`
        gh pr create: allow `gh pr create **`
        python3 x.py: allow `python3 x.py`
        rm -rf build: allow `rm -rf build`
        rm *.o: none
        rm '*': none
        sudo rm x: allow `rm x`, allow `sudo rm x`
        A=b cargo build: allow `A=b cargo build`
        sh -c 'cargo build': allow `cargo build **`
        $x: none
        npm publish: none
        mkdir a && touch b && cp a b && mv a b: none
        echo x > a.txt: none
        cargo run: allow `cargo run`
        cargo $x: none
        pytest -k $x: none
        /opt/x/cargo build: allow `/opt/x/cargo build`
        git push: none
        ls: none"]]
    .assert_eq(&lines.map(shown).join("\n"));
}

#[test]
fn an_answer_covers_the_flags_that_it_names_and_the_usual_ones() {
    let places = places();
    let after = |asked: &str, then: &str| {
        let ctx = |rules| Context {
            mode: PermissionMode::Ask,
            is_trusted: false,
            sandbox: Sandbox::Missing,
            places: &places,
            rules,
        };
        let asked = call(asked, &places);
        let offered = propose(&asked, &decide(&asked, &ctx(&[])), &ctx(&[]));
        let compile = |rule: &Rule| rule.compile(Origin::GrantedForSession, &places.roots, None);
        let rules: Vec<Compiled> = offered.iter().map(|rule| compile(rule).unwrap()).collect();
        assert!(!rules.is_empty(), "nothing is offered");
        assert_eq!(decide(&asked, &ctx(&rules)).decision, Decision::Allow);
        decide(&call(then, &places), &ctx(&rules)).decision
    };
    for (asked, then, want) in [
        ("rg -z foo", "rg -z bar src", Decision::Allow),
        ("rg -z foo", "rg -nz -g '*.rs' bar", Decision::Ask),
        ("rg -z foo", "rg -n -z -g '*.rs' bar", Decision::Allow),
        ("rg -z foo", "rg --pre ./evil.sh foo", Decision::Ask),
        ("rg -z foo", "rg -z --hostname-bin=./evil.sh foo", Decision::Ask),
        ("rg -z foo", "rg -z foo *", Decision::Ask),
        ("rg -z foo", "rg -z $x", Decision::Ask),
        ("git diff", "git diff --stat HEAD~1 -- src", Decision::Allow),
        ("git diff", "git diff --output=x", Decision::Ask),
        ("git diff", "git diff --outp x", Decision::Ask),
        ("git diff", "git diff --ext-diff", Decision::Ask),
        ("git commit -m x", "git commit -am 'y z'", Decision::Allow),
        ("git commit -m x", "git commit --amend --no-edit", Decision::Allow),
        ("git commit -m x", "git commit -m \"$(cat <<'EOF'\nfix: it\nEOF\n)\"", Decision::Allow),
        ("git commit -m x", "git commit \"$(cat <<'EOF'\n-S\nEOF\n)\"", Decision::Ask),
        ("git commit -m x", "git commit -S -m x", Decision::Ask),
        ("cargo build", "cargo build --release -p x", Decision::Allow),
        ("cargo build", "cargo build --config x", Decision::Ask),
        ("cargo build", "cargo build --target-dir=/x", Decision::Ask),
        ("cargo clippy", "cargo clippy --all-targets -- -D warnings", Decision::Allow),
        ("cargo clippy", "cargo clippy --fix", Decision::Ask),
        ("make test", "make test -j8", Decision::Allow),
        ("make test", "make test SHELL=./evil.sh", Decision::Ask),
        ("make test", "make test -f evil.mk", Decision::Ask),
        ("make test V=1", "make test V=2", Decision::Allow),
        ("go test ./...", "go test -run x -v ./a", Decision::Allow),
        ("go test ./...", "go test -exec ./evil.sh ./a", Decision::Ask),
        ("go test ./...", "go test -toolexec=./evil.sh ./a", Decision::Ask),
        ("pytest", "pytest -x -k a tests", Decision::Allow),
        ("pytest", "pytest -p evil", Decision::Ask),
        ("pytest", "pytest --junitxml=/x", Decision::Ask),
        ("pytest --cov=src", "pytest --cov=lib tests", Decision::Allow),
        ("prettier a.js", "prettier --check b.js", Decision::Allow),
        ("prettier a.js", "prettier --plugin=./evil.js a.js", Decision::Ask),
        ("eslint a.js", "eslint --rulesdir x a.js", Decision::Ask),
        ("npm install", "npm install --save-dev x", Decision::Allow),
        ("npm install", "npm install --prefix /x y", Decision::Ask),
        ("mkdir a", "mkdir -p b/c", Decision::Allow),
        ("black --check .", "black --check src", Decision::Allow),
        ("black --check .", "black .", Decision::Ask),
        ("rustfmt --check x.rs", "rustfmt x.rs", Decision::Ask),
        ("ruff check", "ruff check src", Decision::Allow),
        ("ruff check", "ruff format", Decision::Ask),
        ("git remote show origin", "git remote set-url origin x", Decision::Ask),
        ("git stash", "git stash drop", Decision::Ask),
        ("git stash show", "git stash show --quiet", Decision::Allow),
        ("git reflog", "git reflog expire --all", Decision::Ask),
        ("git push origin main", "git push ./evil main", Decision::Ask),
        ("git fetch", "git fetch ./evil", Decision::Ask),
        ("cargo nextest run", "cargo nextest run -p x", Decision::Allow),
        ("cargo nextest run", "cargo nextest archive", Decision::Ask),
        ("cargo build", "cargo build --target ./evil.json", Decision::Ask),
        ("dotnet test", "dotnet test /p:PreBuildEvent=x", Decision::Ask),
        ("dotnet build", "dotnet build /logger:evil.dll", Decision::Ask),
        ("docker cp x:/a a", "docker cp x:/a b", Decision::Ask),
        ("gh pr list", "gh pr list --web", Decision::Ask),
        ("eslint a.js", "eslint --cache a.js", Decision::Ask),
        ("uv pip install x", "uv pip install --index-url http://x y", Decision::Ask),
    ] {
        assert_eq!(after(asked, then), want, "after `{asked}`: `{then}`");
    }
}
