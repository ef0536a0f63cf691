//! The program is killed at random moments of real work, and opened again: nothing that was accepted is lost, nothing is done twice,
//! what was seen still stands, each file is as before or as after, and the session goes on.
//!
//! `PINTLE_KILLS` sets the number of kills over all scenes (30; `tests/all.sh kills` does 300), `PINTLE_SEED` their moments. A
//! failure prints both, and `PINTLE_KILL_ONLY=SCENE:NUMBER` repeats one kill; since timing varies, that may take a few tries.

mod checks;
mod scenes;
mod victim;

use crate::support::program::Place;
use pintle_testing::chance;
use scenes::{SCENES, Scene, content};
use serde_json::json;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::time::Duration;
use victim::{Moment, Victim};

/// Number of kills in a full run; the shares of all scenes add up to it.
const KILLS: usize = 300;

/// Default number of kills.
const FEW: usize = 30;

fn setting<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}

/// Chance that is the same for the same seed.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// Short more often than long.
    fn pause(&mut self) -> Duration {
        let most = [0, 30, 300, 3000][usize::try_from(self.below(4)).unwrap()];
        Duration::from_micros(self.below(most))
    }
}

/// Says where it was, should anything fail.
struct PrintOnDrop(String);

impl Drop for PrintOnDrop {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = writeln!(std::io::stderr(), "{}", self.0);
        }
    }
}

/// How much a scene does when nobody kills it.
struct Measure {
    lines: u64,
    time: Duration,
}

fn run(name: &str) {
    let scene = SCENES.iter().find(|scene| scene.name == name).unwrap();
    let seed = chance::seed();
    let count = setting::<usize>("PINTLE_KILLS").unwrap_or(FEW) * scene.share / KILLS;
    let only: Option<String> = setting("PINTLE_KILL_ONLY");
    let measure = kill(scene, &Moment::Never);
    for number in 1..=count.max(1) {
        if only.as_ref().is_some_and(|only| *only != format!("{name}:{number}")) {
            continue;
        }
        let mut chance = Chance(seed ^ (number as u64) << 20);
        let moment = match chance.below(5) {
            0 => Moment::Time(Duration::from_micros(
                chance.below(u64::try_from(measure.time.as_micros()).unwrap()),
            )),
            1 => {
                let prefix = [".pintle-", "new-"][usize::try_from(chance.below(2)).unwrap()];
                Moment::Seen { prefix, then: chance.pause() }
            }
            2 => {
                let then = Duration::from_micros(chance.below(30));
                Moment::Changed { count: chance.below(3), then }
            }
            _ => Moment::Line { count: chance.below(measure.lines), then: chance.pause() },
        };
        let _told = PrintOnDrop(format!("seed {seed}, {name}:{number}, killed at {moment:?}"));
        kill(scene, &moment);
    }
}

/// Kills the program once and looks at what is left.
fn kill(scene: &Scene, moment: &Moment) -> Measure {
    let files: Vec<(&str, String)> =
        scene.files.iter().map(|(name, version)| (*name, content(name, *version))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, &**text)).collect();
    let place = Place::new(&files);
    let marks = place.project().with_file_name("marks");
    std::fs::write(&marks, "").unwrap();
    let script = place.script(&(scene.replies)(marks.to_str().unwrap()));
    let args = ["serve", "--permission", "full", "--model", scene.model, "--script", &script];
    let mut victim = Victim::start(place.command(&args));
    victim.ask(
        "initialize",
        json!({"protocol": {"name": "pintle", "versions": ["2.0"]}, "capabilities": {}}),
    );
    victim.ask("session/create", json!({})).unwrap();
    if let Some(before) = scene.before {
        before(&mut victim).unwrap();
    }
    let folders = [place.project(), place.journal().with_file_name("blobs")];
    // The folder must exist before it can be watched.
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folders[1]).unwrap();
    victim.arm(moment, &folders);
    let _ = (scene.act)(&mut victim);
    let (lines, time) = victim.spent();
    victim.end();
    checks::all_is_well(scene, &place, &victim.seen);
    Measure { lines, time }
}

macro_rules! scenes {
    ($($test:ident $scene:literal,)+) => {
        $(#[test]
        fn $test() {
            run($scene);
        })+

        #[test]
        fn every_scene_is_played() {
            let mut played = [$($scene),+];
            played.sort_unstable();
            let mut known = SCENES.map(|scene| scene.name);
            known.sort_unstable();
            assert_eq!(played, known);
            assert_eq!(SCENES.iter().map(|scene| scene.share).sum::<usize>(), KILLS);
        }
    };
}

scenes! {
    a_kill_in_a_turn_loses_nothing "turns",
    a_kill_in_a_patch_leaves_whole_files "patches",
    a_kill_while_files_go_back_can_be_made_good "rewinds",
    a_kill_in_a_decision_can_be_made_good "decisions",
    a_kill_while_sessions_are_made_and_listed_leaves_whole_ones "lists",
}
