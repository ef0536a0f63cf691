//! Replaces a file if its state is the expected one: the only way in which the engine itself changes files outside tools.

use pintle_exec::{After, Before, Environment, Error, Rewrites};
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// Writes or removes a file, if `is_expected` accepts its present content (`None` if it does not exist).
///
/// # Errors
/// The file has changed meanwhile, or it could not be written.
pub(crate) async fn replace_if(
    env: &dyn Environment,
    path: &Path,
    is_expected: impl FnOnce(Option<&[u8]>) -> bool + Send + 'static,
    after: After,
) -> Result<(), Error> {
    let decide = Box::new(move |present: Vec<Option<Before>>| {
        let present = present.into_iter().next().flatten().map(|present| present.content);
        if !is_expected(present.as_deref()) {
            return Err("it has changed in the meantime".to_owned());
        }
        Ok(Rewrites { after: vec![after], changes: Vec::new() })
    });
    let paths = [path.to_path_buf()];
    env.update_all(&paths, decide, &CancellationToken::new()).await.map(drop)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests make the files that the engine replaces")]

    use super::*;
    use pintle_base::ambient::Ambient;
    use pintle_exec::Local;
    use pintle_exec::local::Options;
    use std::fs;

    const CHANGED: &str = "it has changed in the meantime";
    const LINK: &str = "now leads elsewhere";

    /// A call of [`replace_if`], and its effect.
    #[derive(Clone)]
    struct Row {
        name: &'static str,
        present: Option<&'static str>,
        expected: Option<&'static str>,
        after: Option<&'static str>,
        want: Result<(), &'static str>,
    }

    #[tokio::test]
    async fn a_file_is_replaced_only_if_its_content_is_the_expected_one() {
        let row =
            |name, present, expected, after, want| Row { name, present, expected, after, want };
        let rows = [
            row("replaced", Some("old"), Some("old"), Some("new"), Ok(())),
            row("removed", Some("old"), Some("old"), None, Ok(())),
            row("created", None, None, Some("new"), Ok(())),
            row("missing", None, None, None, Err("no such file or directory")),
            row("changed", Some("edited"), Some("old"), Some("new"), Err(CHANGED)),
            row("created meanwhile", Some("edited"), None, Some("new"), Err(CHANGED)),
            row("removed meanwhile", None, Some("old"), Some("new"), Err(CHANGED)),
            row("changed before its removal", Some("edited"), Some("old"), None, Err(CHANGED)),
        ];
        let env = Local::new(&Ambient::fixed([]), Options::default());
        for (Row { name, present, expected, after, want }, is_link) in
            rows.into_iter().flat_map(|row| [(row.clone(), false), (row, true)])
        {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("file");
            let path = if is_link { folder.path().join("link") } else { file.clone() };
            if is_link {
                pintle_testing::files::symlink(&file, &path);
            }
            if let Some(text) = present {
                fs::write(&file, text).unwrap();
            }
            let is_expected = move |content: Option<&[u8]>| content == expected.map(str::as_bytes);
            let write = |text: &str| After::Write(text.as_bytes().to_vec().into());
            let result =
                replace_if(&env, &path, is_expected, after.map_or(After::Remove, write)).await;
            let left = match (result, want) {
                (Ok(()), Ok(())) => after,
                (Err(error), Err(want)) => {
                    // A link's target is not the changed file.
                    let want = if is_link { LINK } else { want };
                    assert!(error.to_string().contains(want), "{name}, link: {is_link}: {error}");
                    present
                }
                (Err(Error::Link(_)), Ok(())) if is_link => present,
                (got, want) => panic!("{name}, link: {is_link}: {got:?}, not {want:?}"),
            };
            let content = fs::read_to_string(&file).ok();
            assert_eq!(content.as_deref(), left, "{name}, link: {is_link}");
            assert_eq!(path.is_symlink(), is_link, "{name}: a link stays a link");
        }
    }
}
