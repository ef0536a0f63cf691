//! The table of the benchmarks: a head for each benchmark, and rows of one layout below it.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints what it measured, and stops at the first thing that goes wrong"
)]

/// The most that a figure is to be.
#[derive(Clone, Copy)]
pub(crate) enum Aim {
    /// Nothing is promised.
    None,
    /// Of the figure itself.
    Most(f64),
    /// Of its ratio to the one beside it.
    Times(f64),
    /// Of its difference from the one beside it.
    Added(f64),
}

/// Prints the head of a benchmark's rows.
pub(crate) fn head(title: &str) {
    line([title, "ours", "", "aim", "beside", "", "ratio", ""]);
}

/// Prints one figure, its aim, the figure of the same run beside it, the ratio of both, and `over` where the aim is missed.
pub(crate) fn row(what: &str, unit: &str, ours: f64, aim: Aim, beside: Option<(&str, f64)>) {
    let (aim, is_met) = match aim {
        Aim::None => (String::new(), true),
        Aim::Most(most) => (most.to_string(), ours <= most),
        Aim::Times(times) => (format!("{times} ×"), ours <= times * beside.unwrap().1),
        Aim::Added(added) => (format!("+{added}"), ours - beside.unwrap().1 <= added),
    };
    let (peer, value, ratio) = match beside {
        None => ("", String::new(), String::new()),
        Some((peer, value)) if value > 0.0 => (peer, number(value), number(ours / value)),
        Some((peer, value)) => (peer, number(value), String::new()),
    };
    let verdict = if is_met { "" } else { "over" };
    line([what, &number(ours), unit, &aim, peer, &value, &ratio, verdict]);
}

fn line([what, ours, unit, aim, peer, value, ratio, verdict]: [&str; 8]) {
    let line =
        format!("{what:<64}{ours:>8} {unit:<4}{aim:>8}  {peer:<22}{value:>8}{ratio:>7}  {verdict}");
    println!("{}", line.trim_end());
}

/// A number with as many decimals as its size needs.
fn number(value: f64) -> String {
    let decimals = match value.abs() {
        _ if value.fract() == 0.0 => 0,
        size if size < 0.01 => 4,
        size if size < 1.0 => 3,
        size if size < 10.0 => 2,
        size if size < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}
