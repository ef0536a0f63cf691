use super::*;
use proptest::prelude::*;

fn shown(changes: &[Change]) -> String {
    let one = |c: &Change| format!("{}..{}>{}..{}", c.old.start, c.old.end, c.new.start, c.new.end);
    changes.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn changed_lines_are_found_as_runs() {
    for (name, old, new, want) in [
        ("equal", "a\nb\n", "a\nb\n", ""),
        ("both empty", "", "", ""),
        ("from nothing", "", "a\n", "0..0>0..1"),
        ("to nothing", "a\nb\n", "", "0..2>0..0"),
        ("one line", "a\nb\nc\n", "a\nx\nc\n", "1..2>1..2"),
        ("one equal line parts two runs", "a\nb\nc\n", "x\nb\ny\n", "0..1>0..1 2..3>2..3"),
        ("lines side by side are one run", "a\nb\nc\nd\n", "a\nx\ny\nz\nd\n", "1..3>1..4"),
        ("a line end is a difference", "a\nb", "a\nb\n", "1..2>1..2"),
        ("a carriage return is a difference", "a\nb\n", "a\r\nb\n", "0..1>0..1"),
    ] {
        assert_eq!(shown(&changes(&split(old), &split(new))), want, "{name}");
    }
}

#[test]
fn ranges_are_carried_over_changes() {
    let insertion = [Change { old: 3..3, new: 3..5 }];
    let deletion = [Change { old: 2..4, new: 2..2 }];
    let around = [Change { old: 1..6, new: 1..3 }];
    for (name, changes, range, lean, want) in [
        ("before it", &insertion, 0..2, Lean::After, 0..2),
        ("behind it", &insertion, 4..6, Lean::After, 6..8),
        ("inserted right before stays outside", &insertion, 3..5, Lean::After, 5..7),
        ("inserted right behind stays outside", &insertion, 1..3, Lean::After, 1..3),
        ("inserted within is inside", &insertion, 2..4, Lean::After, 2..6),
        ("no lines, before", &insertion, 3..3, Lean::Before, 3..3),
        ("no lines, after", &insertion, 3..3, Lean::After, 5..5),
        ("deleted", &deletion, 2..4, Lean::After, 2..2),
        ("half deleted", &deletion, 3..6, Lean::After, 2..4),
        ("replaced as a part", &around, 2..4, Lean::After, 1..3),
        ("no lines within the replaced part", &around, 3..3, Lean::After, 1..1),
    ] {
        assert_eq!(carried(changes, &range, lean), want, "{name}");
    }
}

#[test]
fn worst_cases_end() {
    let a: Vec<String> =
        (0..20_000_u32).map(|n| format!("{}\n", n.wrapping_mul(7919) % 13)).collect();
    let b: Vec<String> =
        (0..20_000_u32).map(|n| format!("{}\n", n.wrapping_mul(104_729) % 11)).collect();
    let a: Vec<&str> = a.iter().map(String::as_str).collect();
    let b: Vec<&str> = b.iter().map(String::as_str).collect();
    assert!(!changes(&a, &b).is_empty());
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(256))]

    #[test]
    fn changes_make_the_new_text_and_stand_apart(
        old in prop::collection::vec("[abc]\n", 0..20),
        new in prop::collection::vec("[abc]\n", 0..20),
    ) {
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let new: Vec<&str> = new.iter().map(String::as_str).collect();
        let changes = changes(&old, &new);
        let (mut made, mut at) = (Vec::new(), 0);
        for change in &changes {
            made.extend_from_slice(&old[at..change.old.start]);
            prop_assert_eq!(made.len(), change.new.start);
            made.extend_from_slice(&new[change.new.clone()]);
            at = change.old.end;
        }
        made.extend_from_slice(&old[at..]);
        prop_assert_eq!(made, new);
        for pair in changes.windows(2) {
            prop_assert!(pair[0].old.end < pair[1].old.start && pair[0].new.end < pair[1].new.start);
        }
        // A border outside all changes goes and comes back.
        let back = inverse(&changes);
        for at in 0..=old.len() {
            if changes.iter().all(|c| at < c.old.start || c.old.end < at) {
                let there = carried(&changes, &(at..at), Lean::After);
                prop_assert_eq!(carried(&back, &there, Lean::After), at..at);
            }
        }
    }
}
