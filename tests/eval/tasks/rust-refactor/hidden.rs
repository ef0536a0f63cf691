#[path = "level.rs"]
mod level;
use level::Level;

fn main() {
    let read = |text| Level::parse(text).unwrap_or_else(|| panic!("{text} is no level"));
    let all = ["debug", "info", "notice", "warning", "error"].map(read);
    for (pair, syslog) in all.windows(2).zip([7u8, 6, 5, 4]) {
        assert!(pair[0] < pair[1] && pair[0].cmp(&pair[1]).is_lt(), "the order");
        assert_eq!(pair[0].syslog(), syslog);
        assert!(!pair[0].wakes());
    }
    assert_eq!(all.iter().max().map(|level| level.syslog()), Some(3));
    assert!(all[4].wakes());
    assert!(read(" WARN ") == all[3] && read("Error") == all[4]);
    assert!(Level::parse("fatal").is_none() && Level::parse("").is_none());
    assert_eq!(format!("{}|{:<8}|{:>8}|{:.3}", all[1], all[1], all[3], all[3]), "info|info    | warning|war");
    assert_eq!(format!("{:?} {:?}", all[0], Some(all[3])), "Level(debug) Some(Level(warning))");
    fn is<T: Copy + Eq + Ord + std::fmt::Display + std::fmt::Debug + Send + Sync>(_: T) {}
    is(all[0]);
    let f: fn(Level) -> u8 = Level::syslog;
    assert_eq!(f(all[2]), 5);
}
