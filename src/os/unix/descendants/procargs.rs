//! The arguments and variables of a process of macOS, as `sysctl` returns them for `KERN_PROCARGS2`. Pure.

/// Arguments and variables, each ended by a zero byte.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProcArgs<'a> {
    pub(super) arguments: &'a [u8],
    /// Empty if the system does not show them, as for Apple's programs.
    pub(super) variables: &'a [u8],
}

/// Splits the system's answer: the number of arguments, the program's path, zero bytes up to a limit, the arguments, the variables, and
/// further strings for the dynamic linker. `None` if it is cut off.
pub(super) fn split(bytes: &[u8]) -> Option<ProcArgs<'_>> {
    let (count, rest) = bytes.split_first_chunk::<4>()?;
    let count = usize::try_from(i32::from_ne_bytes(*count)).ok()?;
    let path = rest.iter().position(|&byte| byte == 0)?;
    let rest = rest.get(path..)?;
    let padding = rest.iter().position(|&byte| byte != 0).unwrap_or(rest.len());
    let rest = rest.get(padding..)?;
    let end = (0..count).try_fold(0, |start, _| {
        let length = rest.get(start..)?.iter().position(|&byte| byte == 0)?;
        Some(start + length + 1)
    })?;
    let (arguments, rest) = rest.split_at_checked(end)?;
    // An empty string ends the variables.
    let end = match rest.windows(2).position(|pair| pair == [0, 0]) {
        _ if rest.first().is_none_or(|&byte| byte == 0) => 0,
        Some(end) => end + 1,
        None => rest.len(),
    };
    Some(ProcArgs { arguments, variables: rest.get(..end)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_variables_are_told_apart() {
        for (name, count, text, want) in [
            (
                "usual",
                2,
                "/bin/cat\0\0\0\0cat\0-n\0A=1\0B=2\0\0ptr_munge=\0",
                Some(("cat\0-n\0", "A=1\0B=2\0")),
            ),
            ("no padding", 1, "/bin/cat\0cat\0A=1\0\0", Some(("cat\0", "A=1\0"))),
            ("hidden variables", 1, "/bin/sleep\0\0sleep\0\0\0", Some(("sleep\0", ""))),
            ("an empty argument", 2, "/bin/cat\0\0cat\0\0A=1\0\0", Some(("cat\0\0", "A=1\0"))),
            ("nothing after the arguments", 1, "/bin/cat\0cat\0", Some(("cat\0", ""))),
            ("no end", 1, "/bin/cat\0cat\0A=1\0", Some(("cat\0", "A=1\0"))),
            ("cut off", 2, "/bin/cat\0cat\0", None),
            ("no path", 1, "", None),
            ("a negative number", -1, "/bin/cat\0cat\0", None),
        ] {
            let bytes = [&i32::to_ne_bytes(count)[..], text.as_bytes()].concat();
            let want = want.map(|(arguments, variables)| ProcArgs {
                arguments: arguments.as_bytes(),
                variables: variables.as_bytes(),
            });
            assert_eq!(split(&bytes), want, "{name}");
        }
        assert_eq!(split(&[1, 0]), None);
    }
}
