//! Forks on the command line, how they come back, and what lies between two places, through the real program.

use crate::session_history::{Terminal, edit, made, pintle, ran, say, sessions};
use crate::support::program::Place;
use expect_test::expect;
use serde_json::{Value, json};

#[test]
fn a_fork_is_merged_again_and_again_and_only_into_its_own() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let id = ran(&place, "First", None, json!([say("one")]));
    let (_, fork, _) = sessions(&place, &["fork", &id]);
    let fork = fork.trim();
    let told = |args: &[&str]| {
        let (code, out, err) = sessions(&place, args);
        format!("({code}) {out}{err}").replace(&id, "ID").replace(fork, "FORK")
    };
    let mut text = told(&["merge", fork]);
    ran(&place, "Aside", Some(fork), json!([edit("one", "won"), say("two")]));
    text += &told(&["merge", fork]);
    ran(&place, "More", Some(fork), json!([say("three")]));
    text += &told(&["merge", fork]);
    text += &told(&["merge", fork]);
    text += &told(&["merge", &id]);
    text += &told(&["tree", &id]);
    expect![[r"
        (2) pintle: session FORK has nothing that is not already in this one
          rewind to its end: pintle sessions rewind ID --to 9
        (0) merged 3 items into session ID, after event 9
        now at event 23
        to undo: pintle sessions rewind ID --to 11
        (0) merged 2 items into session ID, after event 23
        now at event 31
        to undo: pintle sessions rewind ID --to 24
        (2) pintle: session FORK has nothing that is not already in this one
          rewind to its end: pintle sessions rewind ID --to 31
        (2) pintle: session ID is not a fork
          a session created by `pintle sessions fork` can be merged into its original
        (0) *  0  start
        *  5  #1 First
        *  9    end of the turn
        * 14  #2 Aside
        * 23    end of the turn
        * 27  #3 More  <- here
        * 31    end of the turn
    "]]
    .assert_eq(&text);
    let script = place.script(&json!({"replies": [{"blocks": [{"text": "four"}]}]}));
    let run = ["run", "On", "--session", &id, "--script", &script];
    assert_eq!(pintle(&place, &run).0, 0);
}

#[test]
fn what_lies_between_two_sections_is_shown_and_searched() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let id = made(&place);
    let (_, fork, _) = sessions(&place, &["fork", &id, "--to", "15"]);
    let fork = fork.trim();
    ran(&place, "Make c, and edit nothing", Some(fork), json!([say("nothing made")]));
    let mut terminal = Terminal { place: &place, id: &id, text: String::new() };
    assert_eq!(sessions(&place, &["merge", fork]).0, 0);
    assert_eq!(sessions(&place, &["label", &id, "--to", "15", "edited"]).0, 0);
    let json = sessions(&place, &["outline", &id, "--json"]).1;
    let outline = json.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let told = outline.map(|entry| {
        let what = [&entry["text"], &entry["from"]].map(|what| what.as_str().unwrap_or("-"));
        let way = if entry["current"] == true { "current" } else { "beside" };
        format!("{} {} {} {way}\n", entry["seq"], entry["kind"], what.join(" "))
    });
    let told = told.collect::<String>().replace(fork, "FORK");
    expect![[r#"
        1 "start" - - current
        15 "label" edited - current
        37 "copied" - FORK current
    "#]]
    .assert_eq(&told);
    terminal.types("show ID --to edited");
    terminal.types("show ID --from edited --to 29");
    terminal.types("show ID --from 30");
    terminal.types("show ID --from edited --to=#1");
    terminal.types("show ID --from nowhere");
    terminal.types("search made --session ID --to edited");
    terminal.types("search --from edited made");
    for (range, hits) in [
        (&[][..], 4),
        (&["--to", "edited"], 3),
        (&["--from", "edited"], 1),
        (&["--from", "edited", "--to", "29"], 0),
        (&["--from", "30"], 1),
    ] {
        let args = [&["search", "edit", "--session", &id, "--json"], range].concat();
        assert_eq!(sessions(&place, &args).1.lines().count(), hits, "{range:?}");
    }
    expect![[r"
        $ show ID --to edited
        > Edit a
        * changed DIR/a.txt
        * edit: a.txt
        edited
        $ show ID --from edited --to 29
        > Then make b
        * changed DIR/b.txt
        * write: b.txt
        made
        $ show ID --from 30
        * rewound to event 15, dropping 3 items
        > Make c, and edit nothing
        nothing made
        * labeled event 15: edited
        $ show ID --from edited --to=#1
        pintle: --from (event 15) is after --to (event 2)
        (2)
        $ show ID --from nowhere
        pintle: unknown label `nowhere`
          run `pintle sessions tree ID` to list the labels
        (2)
        $ search made --session ID --to edited
        pintle: no matches
        (1)
        $ search --from edited made
        pintle: --from and --to require --session
        (2)
    "]]
    .assert_eq(&terminal.text);
}

#[test]
fn a_fork_begins_where_it_is_told_to() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let id = made(&place);
    assert_eq!(sessions(&place, &["label", &id, "--to=#2", "second"]).0, 0);
    for (name, args, prompts) in [
        ("all of it", &[][..], vec!["Edit a", "Then make b"]),
        ("before a prompt", &["--to=#2"], vec!["Edit a"]),
        ("at a label", &["--to", "second"], vec!["Edit a"]),
        ("at an event", &["--to", "15"], vec!["Edit a"]),
        ("at the beginning", &["--to", "0"], vec![]),
    ] {
        let (code, out, err) = sessions(&place, &[&["fork", &id[..]], args].concat());
        assert_eq!(code, 0, "{name}: {err}");
        let fork = out.trim();
        assert_ne!(fork, id, "{name}");
        let (_, out, err) = sessions(&place, &["tree", fork, "--json"]);
        let nodes = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let texts: Vec<String> =
            nodes.map(|node| node["text"].as_str().unwrap().to_owned()).collect();
        assert_eq!(texts, prompts, "{name}: {err}");
        let (_, listed, _) = sessions(&place, &["list", "--json"]);
        let rows = listed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let row = rows.into_iter().find(|row| row["sessionId"] == fork).unwrap();
        assert_eq!(row["title"].as_str(), prompts.first().copied(), "{name}: the title in lists");
    }
}

#[test]
fn a_merge_that_the_disk_has_no_room_for_leaves_the_session_as_it_was() {
    let place = Place::new(&[]);
    let id = ran(&place, "First", None, json!([say("one")]));
    let (_, fork, _) = sessions(&place, &["fork", &id]);
    let fork = fork.trim();
    let long = "many words ".repeat(10_000);
    ran(&place, "Aside", Some(fork), json!([say(&long)]));
    ran(&place, "More", Some(fork), json!([say("two")]));
    let tree = || sessions(&place, &["tree", &id]).1;
    let before = tree();
    let merge = ["sessions", "merge", fork];
    let out = place.limited_command(64, &merge).output().unwrap();
    let err = String::from_utf8(out.stderr).unwrap();
    assert!(!out.status.success() && err.contains("journal.jsonl: File too large"), "{err}");
    assert_eq!(tree(), before);
    let shown = sessions(&place, &["show", &id, "--all"]).1;
    assert!(!shown.contains("gone back") && !shown.contains("many words"), "{shown}");
    // With room again all of it comes.
    assert_eq!(pintle(&place, &merge).0, 0);
    assert!(tree().contains("#3 More"), "{}", tree());
}
