//! Commands of bash on Windows, and of PowerShell. Pure.
//!
//! Bash on Windows has the usual grammar, but its paths are interpreted by bash, by MSYS, which translates them, and by Windows. A command
//! is analysed if all its paths are relative and have the same meaning for all three. PowerShell has another grammar, so only lines of
//! plain words are analysed, and no command is considered harmless.

use super::{Analysis, Program, Target, Word};
use pintle_exec::windows_names;
use std::path::Path;

/// The null device, which bash also provides on Windows.
const NULL: &str = "/dev/null";

impl Analysis {
    /// Parses a command of bash on Windows.
    pub fn parse_on_windows(line: &str) -> Self {
        let mut analysis = Self::parse(line);
        let renamed =
            analysis.programs.iter().filter_map(Program::name).find(|name| is_renamed(name));
        if let Some(name) = renamed.map(str::to_owned) {
            let reason =
                format!("starts `{name}`, and rules may know the program by another spelling");
            analysis.hide(&*reason);
            analysis.doubt(reason);
        }
        if let Some(reason) = analysis.doubt_about_paths() {
            analysis.doubt(reason);
        }
        analysis
    }

    /// Returns why a path in the command may be another one than it seems. The shell expands patterns for every program, so that `echo` can
    /// look at files, too.
    fn doubt_about_paths(&self) -> Option<String> {
        const UNKNOWN: &str = "uses a path or pattern that is known only when it runs";
        if self.expands_itself {
            return Some(
                "uses a loop, condition or array, whose paths are not analyzed".to_owned(),
            );
        }
        let targets = || [&self.writes, &self.reads, &self.folders].into_iter().flatten();
        let is_unknown = |program: &Program| {
            program.words.iter().any(|word| match word {
                Word::Unknown { is_one, .. } => !(*is_one && program.takes_texts()),
                Word::Text(_) | Word::Glob(_) => false,
            })
        };
        if targets().any(|target| target.path().is_none()) || self.programs.iter().any(is_unknown) {
            return Some(UNKNOWN.to_owned());
        }
        let patterns = self.programs.iter().flat_map(|program| &program.words);
        let patterns = patterns.filter_map(|word| match word {
            Word::Glob(pattern) => Some(pattern.as_str()),
            Word::Text(_) | Word::Unknown { .. } => None,
        });
        let assignments = self.programs.iter().flat_map(|program| &program.assignments);
        let values = assignments.map(|word| {
            let text = word.fixed_prefix();
            text.split_once('=').map_or(text, |(_, value)| value)
        });
        let with_paths = self.programs.iter().filter(|program| !program.takes_texts());
        let names = self.programs.iter().filter_map(Program::name);
        let words = with_paths.flat_map(Program::mentions).chain(names).chain(values);
        targets().filter_map(Target::path).chain(words).chain(patterns).find_map(doubtful_path)
    }

    /// Returns the device to which a command of bash on Windows redirects output, if there is one. Bash would make a file of this name,
    /// which hardly any program can delete.
    pub fn written_device(&self) -> Option<&str> {
        let paths = self.writes.iter().filter_map(Target::path);
        paths.into_iter().find(|path| windows_names::is_device(path))
    }

    /// Parses a command of PowerShell: plain words, or nothing that is understood.
    pub fn parse_for_powershell(line: &str) -> Self {
        let line = line.trim();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " _-./=+".contains(c);
        // PowerShell splits a parameter at its dot.
        let is_split = |word: &str| word.starts_with('-') && word.contains('.');
        if !line.chars().all(is_plain) || line.split(' ').any(is_split) {
            return Self::opaque("is written for PowerShell, whose syntax is not analyzed");
        }
        let mut analysis = Self::parse(line);
        for program in &mut analysis.programs {
            // Names such as `cat` and `sort` are other commands there.
            program.is_launched = true;
            program.is_transparent = false;
        }
        if analysis.programs.iter().any(|program| !program.assignments.is_empty()) {
            analysis.doubt("is written for PowerShell, whose syntax is not analyzed");
        }
        analysis.hide("PowerShell runs, which has several names for many commands");
        analysis
    }
}

/// Returns true for a program name that Windows treats like another spelling.
fn is_renamed(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or_default();
    let has_extension = name.rsplit_once('.').is_some_and(|(_, extension)| {
        ["exe", "com", "bat", "cmd", "lnk"].contains(&extension.to_lowercase().as_str())
    });
    has_extension || name.chars().any(char::is_uppercase)
}

/// Returns why a word of a command may be another path than it seems; the reason completes "a command that …".
fn doubtful_path(text: &str) -> Option<String> {
    if text == NULL {
        return None;
    }
    if text.contains('\\') {
        return Some(format!("contains `{text}`, and bash and Windows read `\\` differently"));
    }
    if text.contains(':') {
        return Some(format!("contains `{text}`, which may be a drive or a stream of a file"));
    }
    if text.starts_with(['/', '~']) {
        return Some(format!("contains `{text}`, which bash maps to another path"));
    }
    let reason = windows_names::refusal(Path::new(text))?;
    Some(format!("contains `{text}`: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_bash_on_windows_are_analysed_if_their_paths_are_plain() {
        for (line, want) in [
            ("git status", None),
            ("ls -la src && cat src/main.rs | head -n 5", None),
            ("cargo test > out.txt 2>/dev/null", None),
            ("git diff HEAD~1 -- src", None),
            ("grep -rn 'fn main' src ../other", None),
            ("echo 'C:\\x' \"a:b\"", None),
            ("cat CON.md.txt", Some("device")),
            (r"cat C:\\Users\\me\\secret", Some("`\\`")),
            (r"cat 'src\main.rs'", Some("`\\`")),
            (r"cat '\\server\share\x'", Some("`\\`")),
            ("cat C:/Users/me/secret", Some("drive")),
            ("cat .env:hidden", Some("stream")),
            ("cat --file=C:/x", Some("drive")),
            ("cat /c/Users/me/secret", Some("maps to another path")),
            ("cat //server/share/x", Some("maps to another path")),
            ("cat ~/.ssh/id_rsa", Some("maps to another path")),
            ("cat < /etc/passwd", Some("maps to another path")),
            ("cd /d/other && ls", Some("maps to another path")),
            ("grep -f/c/x y", Some("maps to another path")),
            ("GIT_DIR=/c/x git status", Some("maps to another path")),
            // The shell itself looks at these.
            ("echo src/*.rs", None),
            ("echo \"$HOME\"", None),
            ("echo //server/share/*", Some("maps to another path")),
            ("printf %s C:/x/*", Some("drive")),
            ("echo $(cat names.txt)", Some("only when it runs")),
            ("echo {//server/share/x,y}", None),
            ("cat {//server/share/x,y}", Some("maps to another path")),
            ("echo {//server/share/*,y}", Some("maps to another path")),
            ("cat {$x,y}", Some("only when it runs")),
            ("cat \"$FILE\"", Some("only when it runs")),
            ("cat < \"$FILE\"", Some("only when it runs")),
            ("cd \"$DIR\" && ls", Some("unknown directory")),
            ("set -- //server/share/*", Some("maps to another path")),
            ("for f in //server/share/*; do echo hi; done", Some("loop")),
            ("a=(//server/share/*)", Some("array")),
            ("[[ -f //server/share/x ]]", Some("condition")),
            ("[ -f //server/share/x ]", Some("condition")),
            ("case x in //server/*) ls;; esac", Some("condition")),
            ("bash -c '[[ -f //server/share/x ]]'", Some("condition")),
            ("test -e C:/x", Some("drive")),
            ("exec 3< //server/share/x", Some("maps to another path")),
            ("cat .env.", Some("drops the end")),
            ("cat '.env '", Some("drops the end")),
            ("cat src/nul", Some("device")),
            ("echo hi > nul", Some("device")),
            ("rm.exe -rf src", Some("another spelling")),
            ("RM -rf src", Some("another spelling")),
            ("timeout 5 Rm -rf src", Some("another spelling")),
            ("/usr/bin/RM -rf src", Some("another spelling")),
            ("./build.cmd", Some("another spelling")),
        ] {
            let analysis = Analysis::parse_on_windows(line);
            let is_right = match (&analysis.opaque, want) {
                (None, None) => true,
                (Some(reason), Some(want)) => reason.contains(want),
                (Some(_), None) | (None, Some(_)) => false,
            };
            assert!(is_right, "{line}: {:?}", analysis.opaque);
        }
    }

    #[test]
    fn a_device_to_which_output_is_written_is_found() {
        for (line, want) in [
            ("cargo build > nul", Some("nul")),
            ("dir 2>NUL", Some("NUL")),
            ("(make; make test) >> out/con.txt 2>&1", Some("out/con.txt")),
            ("bash -c 'ls > nul'", Some("nul")),
            ("cargo build > /dev/null", None),
            ("cargo build > null.txt", None),
            ("echo nul", None),
        ] {
            assert_eq!(Analysis::parse_on_windows(line).written_device(), want, "{line}");
        }
    }

    #[test]
    fn plain_words_of_powershell_are_analysed_and_never_harmless() {
        for (line, want) in [
            ("cargo test --workspace", Some(vec!["cargo"])),
            (" git log -n 5 ", Some(vec!["git"])),
            ("ls", Some(vec!["ls"])),
            ("npm run build -- --mode=production", Some(vec!["npm"])),
            ("timeout 5 rm -rf src", Some(vec!["rm", "timeout"])),
            ("git status; rm x", None),
            ("git status | rm x", None),
            ("cat $env:KEY", None),
            ("cat 'a b'", None),
            ("echo (rm x)", None),
            ("rm x\nrm y", None),
            ("& rm x", None),
            ("rm `x", None),
            ("java -Dkey.name=x", None),
            ("a=b rm x", None),
            ("rm --% x", None),
        ] {
            let analysis = Analysis::parse_for_powershell(line);
            let names: Vec<_> = analysis.programs.iter().filter_map(Program::name).collect();
            let found = analysis.opaque.is_none().then_some(names);
            assert_eq!(found, want, "{line}");
            assert!(!analysis.is_harmless(), "{line}");
            assert!(analysis.hidden.is_some() || analysis.opaque.is_some(), "{line}");
        }
    }
}
