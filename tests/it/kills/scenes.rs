//! What is going on when the program is killed: the model's replies, what a client asks meanwhile, and what must be so afterwards.
//!
//! Each file has numbered versions, so that half a file is told from a whole one. Each command leaves a mark outside of the project,
//! so that a call that ran twice is seen. Nothing here knows when the kill comes: a client that is told nothing any more gives up with
//! `None`.

use super::victim::Victim;
use crate::support::program::{Place, Program};
use serde_json::{Value, json};

/// One kind of work.
pub(super) struct Scene {
    pub(super) name: &'static str,
    /// How many of 300 kills are its.
    pub(super) share: usize,
    /// Files of the project at the beginning, with their version.
    pub(super) files: &'static [(&'static str, u32)],
    /// Files that appear or change later, each with all versions it may have; 0 is none there.
    pub(super) later: &'static [(&'static str, &'static [u32])],
    pub(super) model: &'static str,
    pub(super) replies: fn(marks: &str) -> Value,
    /// What is done before it may die.
    pub(super) before: Option<fn(&mut Victim) -> Option<()>>,
    /// What is done when it dies.
    pub(super) act: fn(&mut Victim) -> Option<()>,
    /// What is asked again afterwards, and must lead to the right state.
    pub(super) after: fn(&mut Program, &Place, seen: &[Value]),
}

/// The content of a file in a version; large enough to take time where no model writes it out.
pub(super) fn content(name: &str, version: u32) -> String {
    let lines = if ["a.txt", "c.txt"].contains(&name) { 400 } else { 20 };
    let line = format!("{name} has a line like this, many times\n");
    format!("head {name} v{version}\n{}tail {name} v{version}\n", line.repeat(lines))
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({"tool": tool, "arguments": arguments})
}

fn bash(marks: &str, mark: &str, command: &str) -> Value {
    call("bash", json!({"command": format!("echo {mark} >> {marks}; {command}")}))
}

/// From one version to the next, in both of its lines.
fn edit(name: &str, from: u32) -> Value {
    let line = |part: &str, version: u32| format!("{part} {name} v{version}");
    let replace = |part| json!({"oldText": line(part, from), "newText": line(part, from + 1)});
    call("edit", json!({"path": name, "edits": [replace("head"), replace("tail")]}))
}

fn write(name: &str, version: u32) -> Value {
    call("write", json!({"path": name, "content": content(name, version)}))
}

/// From one version to the next by a command, at once as far as anybody sees.
fn sed(name: &str, from: u32) -> String {
    format!("sed -i 's/ v{from}$/ v{}/' {name}; ", from + 1)
}

fn blocks(blocks: &[Value]) -> Value {
    json!({ "blocks": blocks })
}

/// Replies, with enough words behind them for every turn that may follow.
fn script(replies: Vec<Value>) -> Value {
    let more = (0..12).map(|n| blocks(&[json!({"text": format!("answer {n} is done")})]));
    json!({"replies": replies.into_iter().chain(more).collect::<Vec<_>>()})
}

fn turns(marks: &str) -> Value {
    let words = "many words that come one by one ".repeat(12);
    script(vec![
        blocks(&[
            json!({ "reasoning": words }),
            json!({ "text": words }),
            bash(marks, "m1", "true"),
            bash(marks, "m2", "for i in 1 2 3 4 5; do echo line $i; sleep 0.003; done"),
        ]),
        blocks(&[
            json!({"text": words}),
            edit("a.txt", 1),
            write("b.txt", 1),
            bash(marks, "m3", ":"),
        ]),
        blocks(&[bash(marks, "m4", &(sed("a.txt", 2) + "cp -p a.txt .c; mv .c c.txt"))]),
        blocks(&[edit("a.txt", 3), json!({"text": words}), write("d.txt", 1), edit("a.txt", 4)]),
    ])
}

fn many_turns(victim: &mut Victim) -> Option<()> {
    victim.prompt("zebra1 begin")?;
    victim.prompt("zebra2 queued")?;
    let third = victim.prompt("zebra3 queued")?;
    victim.events("item.delta", 1)?;
    victim.prompt("zebra4 queued")?;
    let steer = |text| json!({"input": [{"type": "text", "text": text}]});
    victim.ask("turn/steer", steer("zebra5 steered"))?;
    let edited = json!([{"type": "text", "text": "zebra3 edited"}]);
    let item = &third["itemId"];
    victim.ask("queue/update", json!({"itemId": item, "input": edited}))?;
    victim.ask("queue/update", json!({"itemId": item, "delivery": "steer"}))?;
    victim.events("step.completed", 1)?;
    victim.ask("turn/steer", steer("zebra6 steered"))?;
    victim.events("turn.completed", 2)?;
    victim.prompt("zebra7 at the end")?;
    victim.ask("queue/remove", json!({}))?;
    victim.events("turn.completed", 3)
}

fn patches(marks: &str) -> Value {
    let update = |name: &str, from: u32| {
        let to = from + 1;
        format!(
            "*** Update File: {name}\n@@\n-head {name} v{from}\n+head {name} v{to}\n {name} has a line like this, many times\n\
             @@\n-tail {name} v{from}\n+tail {name} v{to}\n*** End of File\n"
        )
    };
    let add = |name: &str| {
        let text: String = content(name, 1).lines().map(|line| format!("+{line}\n")).collect();
        format!("*** Add File: {name}\n{text}")
    };
    let patch = |parts: &[String]| {
        let text = format!("*** Begin Patch\n{}*** End Patch", parts.concat());
        blocks(&[call("apply_patch", json!({"patch": text})), bash(marks, "m0", ":")])
    };
    let first = [update("a.txt", 1), update("b.txt", 1), add("n.txt"), update("c.txt", 1)];
    let second = [update("c.txt", 2), "*** Delete File: d.txt\n".to_owned(), update("b.txt", 2)];
    script(vec![patch(&first), blocks(&[bash(marks, "m1", "true")]), {
        let text = format!("*** Begin Patch\n{}*** End Patch", second.concat());
        blocks(&[call("apply_patch", json!({"patch": text}))])
    }])
}

fn one_turn(victim: &mut Victim) -> Option<()> {
    victim.prompt("zebra1 patch it")?;
    victim.events("turn.completed", 1)
}

fn history(marks: &str) -> Value {
    let all = sed("a.txt", 2) + &sed("b.txt", 1) + "rm d.txt; cp -p a.txt .e; mv .e e.txt";
    script(vec![
        blocks(&[edit("a.txt", 1), write("b.txt", 1), edit("c.txt", 1)]),
        blocks(&[json!({"text": "the first is done"})]),
        blocks(&[bash(marks, "m1", &all), edit("c.txt", 2)]),
        blocks(&[json!({"text": "the second is done"})]),
    ])
}

fn two_turns(victim: &mut Victim) -> Option<()> {
    victim.prompt("zebra1 first")?;
    victim.events("turn.completed", 1)?;
    victim.prompt("zebra2 second")?;
    victim.events("turn.completed", 2)
}

/// The number of the event that began and of the one that ended each turn.
fn ends(seen: &[Value]) -> Vec<(u64, u64)> {
    let seqs = |kind: &str| -> Vec<u64> {
        let is_it = |message: &&Value| message["params"]["event"]["type"] == kind;
        seen.iter()
            .filter(is_it)
            .map(|message| message["params"]["seq"].as_u64().unwrap())
            .collect()
    };
    seqs("input.accepted").into_iter().zip(seqs("turn.completed")).collect()
}

fn rewind(to: u64) -> Value {
    json!({"to": {"seq": to}, "scope": "both"})
}

fn back_and_forth(victim: &mut Victim) -> Option<()> {
    let turns = ends(&victim.seen);
    let [(first, middle), (_, last)] = turns[..] else { panic!("{turns:?}") };
    for to in [middle, last, first - 1, middle, last, first - 1, last] {
        victim.ask("session/rewind", rewind(to))?;
    }
    Some(())
}

/// Whatever was cut, each place can be gone to, and the files are as they were there.
fn every_place_can_be_gone_to(program: &mut Program, place: &Place, seen: &[Value]) {
    let turns = ends(seen);
    let [(first, middle), (_, last), ..] = turns[..] else { panic!("{turns:?}") };
    let begin = [("a.txt", 1), ("b.txt", 0), ("c.txt", 1), ("d.txt", 1), ("e.txt", 0)];
    let halfway = [("a.txt", 2), ("b.txt", 1), ("c.txt", 2), ("d.txt", 1), ("e.txt", 0)];
    let done = [("a.txt", 3), ("b.txt", 2), ("c.txt", 3), ("d.txt", 0), ("e.txt", 3)];
    for (to, want) in [(last, done), (first - 1, begin), (last, done), (middle, halfway)] {
        let answer = program.ask("session/rewind", rewind(to));
        for (name, version) in want {
            // The last is a copy of the first.
            let of = if name == "e.txt" { "a.txt" } else { name };
            let want = (version > 0).then(|| content(of, version));
            let is = std::fs::read_to_string(place.path(name)).ok();
            assert!(
                is == want,
                "{name} is not v{version} at {to}, but {:?}: {answer}",
                head(is.as_deref())
            );
        }
    }
}

fn head(content: Option<&str>) -> Option<&str> {
    content.and_then(|text| text.lines().next())
}

fn reviewed(marks: &str) -> Value {
    script(vec![
        blocks(&[edit("e.txt", 1), edit("b.txt", 1), edit("c.txt", 1), write("n.txt", 1)]),
        blocks(&[bash(marks, "m1", &sed("d.txt", 1))]),
    ])
}

fn decisions(victim: &mut Victim) -> Option<()> {
    let file = |victim: &mut Victim, action: &str, name: &str| {
        let listed = victim.ask("review/list", json!({}))?;
        let hunks = listed["hunks"].as_array().unwrap();
        let path = hunks.iter().find_map(|hunk| {
            hunk["path"].as_str().filter(|path| path.ends_with(name)).map(str::to_owned)
        });
        let target = json!({"type": "file", "path": path?});
        victim.ask("review/decide", json!({"action": {"type": action, "target": target}}))
    };
    file(victim, "keep", "c.txt")?;
    let one = file(victim, "undo", "b.txt")?;
    let revert =
        |decision: &Value| json!({"action": {"type": "revert", "decision": decision["seq"]}});
    victim.ask("review/decide", revert(&one))?;
    let all = json!({"action": {"type": "undo", "target": {"type": "all"}}});
    let decision = victim.ask("review/decide", all.clone())?;
    victim.ask("review/decide", revert(&decision))?;
    victim.ask("review/decide", all).map(drop)
}

/// What is undone again is as it was, but for what was kept.
fn all_can_be_undone(program: &mut Program, place: &Place, _: &[Value]) {
    let all = json!({"action": {"type": "undo", "target": {"type": "all"}}});
    let answer = program.ask("review/decide", all);
    let listed = program.ask("review/list", json!({}));
    assert_eq!(listed["hunks"], json!([]), "{answer}");
    for (name, versions) in
        [("e.txt", &[1][..]), ("b.txt", &[1]), ("c.txt", &[1, 2]), ("d.txt", &[1]), ("n.txt", &[0])]
    {
        let is = std::fs::read_to_string(place.path(name)).ok();
        let may = |version: &u32| (*version > 0).then(|| content(name, *version));
        assert!(
            versions.iter().any(|version| may(version) == is),
            "{name}: {:?}",
            head(is.as_deref())
        );
    }
}

fn plain(marks: &str) -> Value {
    script(vec![blocks(&[bash(marks, "m1", "true")])])
}

fn forks_and_lists(victim: &mut Victim) -> Option<()> {
    let session = victim
        .seen
        .iter()
        .find_map(|message| message["result"]["sessionId"].as_str().map(str::to_owned))?;
    let own = |text: &str| {
        let input = json!([{"type": "text", "text": text}]);
        json!({"sessionId": session, "input": input, "whenBusy": "queue"})
    };
    for round in 0..3 {
        let fork = victim.ask("session/fork", json!({"sessionId": session}))?;
        victim.ask("session/list", json!({}))?;
        victim.ask("turn/start", own(&format!("zebra{round} here")))?;
        let input = json!([{"type": "text", "text": "zebra9 there"}]);
        victim.ask("turn/start", json!({"sessionId": fork["sessionId"], "input": input}))?;
        victim.ask("session/search", json!({"query": "zebra"}))?;
        victim.events("turn.completed", 3 + 2 * round)?;
        victim.ask("session/create", json!({}))?;
        victim.ask("session/search", json!({"query": "answer"}))?;
    }
    Some(())
}

fn no_more(_: &mut Program, _: &Place, _: &[Value]) {}

pub(super) const SCENES: [Scene; 5] = [
    Scene {
        name: "turns",
        share: 120,
        files: &[("a.txt", 1)],
        later: &[("a.txt", &[1, 2, 3, 4, 5]), ("b.txt", &[0, 1]), ("d.txt", &[0, 1])],
        model: "script/script",
        replies: turns,
        before: None,
        act: many_turns,
        after: no_more,
    },
    Scene {
        name: "patches",
        share: 40,
        files: &[("a.txt", 1), ("b.txt", 1), ("c.txt", 1), ("d.txt", 1)],
        later: &[
            ("a.txt", &[1, 2]),
            ("b.txt", &[1, 2, 3]),
            ("c.txt", &[1, 2, 3]),
            ("d.txt", &[0, 1]),
            ("n.txt", &[0, 1]),
        ],
        model: "script/gpt-5.4",
        replies: patches,
        before: None,
        act: one_turn,
        after: no_more,
    },
    Scene {
        name: "rewinds",
        share: 60,
        files: &[("a.txt", 1), ("c.txt", 1), ("d.txt", 1)],
        later: &[
            ("a.txt", &[1, 2, 3]),
            ("b.txt", &[0, 1, 2]),
            ("c.txt", &[1, 2, 3]),
            ("d.txt", &[0, 1]),
        ],
        model: "script/script",
        replies: history,
        before: Some(two_turns),
        act: back_and_forth,
        after: every_place_can_be_gone_to,
    },
    Scene {
        name: "decisions",
        share: 40,
        files: &[("e.txt", 1), ("b.txt", 1), ("c.txt", 1), ("d.txt", 1)],
        later: &[
            ("e.txt", &[1, 2]),
            ("b.txt", &[1, 2]),
            ("c.txt", &[1, 2]),
            ("d.txt", &[1, 2]),
            ("n.txt", &[0, 1]),
        ],
        model: "script/script",
        replies: reviewed,
        before: Some(one_turn),
        act: decisions,
        after: all_can_be_undone,
    },
    Scene {
        name: "lists",
        share: 40,
        files: &[],
        later: &[],
        model: "script/script",
        replies: plain,
        before: Some(one_turn),
        act: forks_and_lists,
        after: no_more,
    },
];
