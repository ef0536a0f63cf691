//! What holds of files and hunks whatever an agent, a person, decisions, rewinds and crashes do, in any order: at the engine's border,
//! with files in memory.

use crate::support::props::engine_on;
use crate::support::stage::Setup;
use pintle_agent::{
    CreateSession, EngineHandle, Error, OpenConfig, SessionHandle, SubscriptionCommand, TurnCommand,
};
use pintle_exec::Environment;
use pintle_exec::memory::Memory;
use pintle_llm::Script;
use pintle_llm::script::Reply;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::content::Input;
use pintle_protocol::files::{FileAction, RewindScope};
use pintle_protocol::history::{HistoryPoint, SessionRewindParams};
use pintle_protocol::methods::{
    ReviewBaseline, ReviewDecide, ReviewList, SessionRewind, TurnStart,
};
use pintle_protocol::review::{
    Hunk, HunkKind, Outcome, ReviewAction, ReviewBaselineParams, ReviewDecideParams,
    ReviewDecideResult, ReviewListParams, ReviewTarget,
};
use pintle_protocol::turn::TurnStartParams;
use proptest::prelude::*;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use tokio::task::JoinSet;

const FILES: [&str; 2] = ["/w/a.txt", "/w/b.txt"];

/// Something that happens; numbers are taken modulo what there is.
#[derive(Debug, Clone)]
enum Op {
    /// The agent replaces lines in a turn of its own.
    Agent(Edit),
    /// A person does.
    Person(Edit),
    /// A person removes a file.
    Delete(usize),
    Keep(usize, Which),
    Undo(usize, Which),
    /// Takes a decision back.
    Revert(usize),
    /// The files go back to the end of an earlier turn, and forward again at once or not.
    Rewind {
        to: usize,
        and_forth: bool,
    },
    /// The engine is gone, and another one opens the session.
    Crash,
}

#[derive(Debug, Clone)]
struct Edit {
    file: usize,
    at: usize,
    count: usize,
    lines: usize,
}

#[derive(Debug, Clone, Copy)]
enum Which {
    Hunk,
    File,
    All,
}

fn edit() -> impl Strategy<Value = Edit> {
    (0..FILES.len(), 0..10_usize, 0..3_usize, 0..3_usize)
        .prop_map(|(file, at, count, lines)| Edit { file, at, count, lines })
}

fn op() -> impl Strategy<Value = Op> {
    let which =
        || prop_oneof![4 => Just(Which::Hunk), 1 => Just(Which::File), 1 => Just(Which::All)];
    prop_oneof![
        6 => edit().prop_map(Op::Agent),
        4 => edit().prop_map(Op::Person),
        1 => (0..FILES.len()).prop_map(Op::Delete),
        2 => (any::<usize>(), which()).prop_map(|(n, which)| Op::Keep(n, which)),
        3 => (any::<usize>(), which()).prop_map(|(n, which)| Op::Undo(n, which)),
        2 => any::<usize>().prop_map(Op::Revert),
        3 => (any::<usize>(), any::<bool>()).prop_map(|(to, and_forth)| Op::Rewind { to, and_forth }),
        1 => Just(Op::Crash),
    ]
}

type Disk = BTreeMap<String, String>;

struct Case<'a> {
    data: &'a Path,
    script: Script,
    env: Arc<Memory>,
    engine: EngineHandle,
    task: JoinSet<()>,
    session: SessionHandle,
    /// The ends of turns with what was on the disk then.
    ends: Vec<(u64, Disk)>,
    /// The files that the agent has changed.
    touched: BTreeSet<&'static str>,
    /// A person's lines that the agent or the person removed. If an undo brings one back, taking back the undo may remove it again.
    taken: BTreeSet<String>,
    decisions: Vec<u64>,
    /// The file of each hunk.
    named: BTreeMap<String, String>,
    written: usize,
}

impl<'a> Case<'a> {
    async fn begin(data: &'a Path) -> Self {
        let script = Script::new([]);
        let text = "one\ntwo\nthree\nfour\nfive\n";
        // A folder is there as long as something is in it.
        let files = FILES.map(|path| (path, text)).into_iter().chain([("/w/other.txt", "")]);
        let env = Arc::new(Memory::new(files));
        let (engine, task) = engine_on(data, &script, &env, &Setup::default());
        let permission_mode = Some(PermissionMode::Full);
        let config = OpenConfig { permission_mode, ..OpenConfig::default() };
        let create = CreateSession { cwd: "/w".to_owned(), config, ..CreateSession::default() };
        let session = engine.create(create).await.unwrap();
        let (ends, decisions, named, written) = (Vec::new(), Vec::new(), BTreeMap::new(), 0);
        let (touched, taken) = (BTreeSet::new(), BTreeSet::new());
        Self {
            data,
            script,
            env,
            engine,
            task,
            session,
            ends,
            touched,
            taken,
            decisions,
            named,
            written,
        }
    }

    fn disk(&self) -> Disk {
        let text = |path: &&str| Some(((*path).to_owned(), self.env.text(path)?));
        FILES.iter().filter_map(text).collect()
    }

    /// The text of a file with some lines replaced by new ones, which nobody has written before.
    fn edited(&mut self, edit: &Edit, who: &str) -> (&'static str, String) {
        let path = FILES[edit.file];
        let text = self.env.text(path).unwrap_or_default();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let at = edit.at.min(lines.len());
        let end = (at + edit.count).min(lines.len());
        self.written += 1;
        let new = (0..edit.lines).map(|n| format!("{who} {} {n}", self.written));
        lines.splice(at..end, new.collect::<Vec<_>>());
        (path, lines.iter().map(|line| format!("{line}\n")).collect())
    }

    async fn act(&mut self, op: &Op) -> Result<(), TestCaseError> {
        let before = self.disk();
        match op {
            Op::Agent(edit) => {
                let (path, content) = self.edited(edit, "agent");
                self.script.clear();
                if before.contains_key(path) {
                    self.script.push(Reply::new().tool("read", json!({"path": path})));
                }
                let write = json!({"path": path, "content": content});
                self.script.push(Reply::new().tool("write", write));
                self.script.push(Reply::new().text("done"));
                let input = vec![Input::text("go")];
                let start = TurnStartParams { input, ..TurnStartParams::default() };
                self.session.call::<TurnStart>(start).await.unwrap();
                self.session.ask(|reply| TurnCommand::WhenIdle { reply }).await.unwrap();
                prop_assert_eq!(self.env.text(path), Some(content), "the agent has written");
                self.taken.extend(self.lost(&before));
                let is_changed = before.get(path) != self.disk().get(path);
                if is_changed && self.touched.insert(path) {
                    // What a person did to it before the agent came is nobody's business.
                    for (_, disk) in &mut self.ends {
                        disk.remove(path);
                        disk.extend(before.get(path).map(|text| (path.to_owned(), text.clone())));
                    }
                }
                let seq = self.seq().await;
                self.ends.push((seq, self.disk()));
            }
            Op::Person(edit) => {
                let (path, content) = self.edited(edit, "person");
                self.env.write(Path::new(path), content.into_bytes()).await.unwrap();
                self.taken.extend(self.lost(&before));
            }
            Op::Delete(file) => {
                let _ = self.env.remove(Path::new(FILES[*file])).await;
                self.taken.extend(self.lost(&before));
            }
            Op::Keep(n, which) => {
                let Some(target) = self.target(*n, *which).await else { return Ok(()) };
                self.decide(ReviewAction::Keep { target }).await;
                prop_assert_eq!(self.disk(), before, "keeping changes no byte");
            }
            Op::Undo(n, which) => {
                let Some(target) = self.target(*n, *which).await else { return Ok(()) };
                let undo = ReviewAction::Undo { target, discard_edits: false };
                let Some(done) = self.decide(undo).await else { return Ok(()) };
                self.nobody_lost(&before)?;
                let is_clean =
                    done.decision.parts.iter().all(|part| part.outcome == Outcome::Applied);
                if n % 2 == 0 && is_clean {
                    self.decide(ReviewAction::Revert { decision: done.seq }).await;
                    prop_assert_eq!(self.disk(), before, "undone and redone");
                }
            }
            Op::Revert(n) => {
                let Some(&decision) = pick(&self.decisions, *n) else { return Ok(()) };
                self.decide(ReviewAction::Revert { decision }).await;
                self.nobody_lost(&before)?;
            }
            Op::Rewind { to, and_forth } => self.rewind(*to, *and_forth, &before).await?,
            Op::Crash => {
                self.task.shutdown().await;
                (self.engine, self.task) =
                    engine_on(self.data, &self.script, &self.env, &Setup::default());
                let id = self.session.id.clone();
                self.session = self.engine.open(id, OpenConfig::default()).await.unwrap();
                prop_assert_eq!(self.disk(), before, "opening changes nothing");
            }
        }
        self.check().await
    }

    async fn rewind(
        &mut self,
        to: usize,
        and_forth: bool,
        before: &Disk,
    ) -> Result<(), TestCaseError> {
        let Some((seq, then)) = pick(&self.ends, to).cloned() else { return Ok(()) };
        let go = |seq: u64, dry_run: bool| {
            let to = HistoryPoint { seq: Some(seq), ..HistoryPoint::default() };
            let scope = RewindScope::Files;
            SessionRewindParams { to, scope, dry_run, ..SessionRewindParams::default() }
        };
        let told = self.session.call::<SessionRewind>(go(seq, true)).await.unwrap();
        prop_assert_eq!(&self.disk(), before, "only said");
        let done = self.session.call::<SessionRewind>(go(seq, false)).await.unwrap();
        prop_assert_eq!(&told.files, &done.files, "what was said is what was done");
        let after = self.disk();
        for path in FILES {
            let fate = done.files.iter().find(|fate| fate.path == path);
            let (was, is, then) = (before.get(path), after.get(path), then.get(path));
            match fate.map(|fate| fate.action) {
                Some(FileAction::Restore | FileAction::Remove) => prop_assert_eq!(is, then),
                Some(FileAction::Leave) | None => prop_assert_eq!(is, was),
                Some(other) => prop_assert!(false, "{:?} of {}", other, path),
            }
        }
        self.nobody_lost(before)?;
        if and_forth {
            self.session.call::<SessionRewind>(go(done.from_seq, false)).await.unwrap();
            prop_assert_eq!(&self.disk(), before, "there and back");
        }
        Ok(())
    }

    async fn seq(&mut self) -> u64 {
        self.session.ask(|reply| SubscriptionCommand::Snapshot { reply }).await.unwrap().seq
    }

    async fn hunks(&mut self) -> Vec<Hunk> {
        let listed = self.session.call::<ReviewList>(ReviewListParams::default()).await;
        listed.unwrap().hunks
    }

    async fn target(&mut self, n: usize, which: Which) -> Option<ReviewTarget> {
        let hunks = self.hunks().await;
        let hunk = pick(&hunks, n)?;
        Some(match which {
            Which::Hunk => ReviewTarget::Hunk { hunk: hunk.id.clone(), changed_seq: None },
            Which::File => ReviewTarget::File { path: hunk.path.clone() },
            Which::All => ReviewTarget::All,
        })
    }

    /// What was decided; nothing where it makes no sense any more.
    async fn decide(&mut self, action: ReviewAction) -> Option<ReviewDecideResult> {
        let decide = ReviewDecideParams { session_id: None, action };
        let done: Result<ReviewDecideResult, Error> =
            self.session.call::<ReviewDecide>(decide).await;
        let done = done.ok()?;
        self.decisions.push(done.seq);
        Some(done)
    }

    /// The lines of a person that have gone.
    fn lost(&self, before: &Disk) -> BTreeSet<String> {
        let lines = |disk: &Disk| -> BTreeSet<String> {
            let lines = disk.values().flat_map(|text| text.lines());
            lines.filter(|line| line.starts_with("person")).map(str::to_owned).collect()
        };
        let after = lines(&self.disk());
        lines(before).difference(&after).cloned().collect()
    }

    /// No line of a person has gone, except one that was removed before and came back by an undo.
    fn nobody_lost(&self, before: &Disk) -> Result<(), TestCaseError> {
        let lost: Vec<_> = self.lost(before).difference(&self.taken).cloned().collect();
        prop_assert!(lost.is_empty(), "{:?} is lost", lost);
        Ok(())
    }

    /// The hunks are what differs between baseline and disk, and an id never names two things.
    async fn check(&mut self) -> Result<(), TestCaseError> {
        let hunks = self.hunks().await;
        for hunk in &hunks {
            let known = self.named.entry(hunk.id.to_string()).or_insert_with(|| hunk.path.clone());
            prop_assert_eq!(&*known, &hunk.path);
        }
        for path in FILES {
            let baseline = ReviewBaselineParams { session_id: None, path: path.to_owned() };
            let read = self.session.call::<ReviewBaseline>(baseline).await;
            // One that the agent never changed has none.
            let Ok(read) = read else { continue };
            let of: Vec<&Hunk> = hunks.iter().filter(|hunk| hunk.path == path).collect();
            let disk = self.env.text(path);
            if of.iter().any(|hunk| hunk.kind != HunkKind::Lines) {
                continue;
            }
            prop_assert_eq!(read.exists, disk.is_some(), "no hunk tells of the file itself");
            let Some(disk) = disk else { continue };
            let text = read.text.unwrap();
            let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
            for hunk in of.iter().rev() {
                let start = usize::try_from(hunk.before.start).unwrap() - 1;
                let end = start + usize::try_from(hunk.before.count).unwrap();
                prop_assert_eq!(lines[start..end].concat(), hunk.old_text.as_str());
                lines.splice(start..end, hunk.new_text.split_inclusive('\n'));
            }
            prop_assert_eq!(lines.concat(), disk, "baseline and hunks make what is on the disk");
        }
        Ok(())
    }
}

fn pick<T>(all: &[T], n: usize) -> Option<&T> {
    all.get(n.checked_rem(all.len())?)
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(60))]
    #[test]
    fn nothing_of_a_person_s_is_lost_and_all_else_can_be_undone(
        ops in proptest::collection::vec(op(), 1..16),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let data = tempfile::tempdir().unwrap();
        runtime.block_on(async {
            let mut case = Case::begin(data.path()).await;
            for op in &ops {
                case.act(op).await?;
            }
            case.engine.shutdown().await;
            Ok::<(), TestCaseError>(())
        })?;
    }
}
