//! Stages files and commits them, as the bot.

use garth_contract::{Code, WsPath};

use crate::{Failed, Hooks, Identity, Oid, Repository, Result, Revision, invocation::Invocation};

/// What is to be committed.
#[derive(Clone, Debug)]
pub struct NewCommit<'a> {
    /// The message.
    pub message: &'a str,
    /// The files, deleted ones too, and directories with all that is in them; everything
    /// that is not as in the last commit, where none is named.
    pub files: &'a [WsPath],
    /// Who else had a part in it.
    pub co_author: Option<&'a Identity>,
}

impl Repository<'_> {
    /// Stages the files and commits them, and nothing else that was staged before.
    ///
    /// In the middle of a merge, where git commits all or nothing, what was staged before
    /// goes along.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for an empty message or an ignored file, `FILE_NOT_FOUND` for a file
    /// that is neither there nor known, `PATH_OUTSIDE_WORKSPACE` for one behind a link,
    /// `CONFLICT` where conflicts are not resolved, `GIT_FAILED` where there is nothing to
    /// commit.
    /// Cancel: the files may be staged; the commit is there or it is not.
    pub async fn commit(&self, new: &NewCommit<'_>) -> Result<Oid> {
        let message = whole_message(new.message, new.co_author)?;
        let names = self.pathspecs(new.files)?;
        let before = self.find(&Revision::head()).await?;
        self.stage(&names).await?;
        let only = !names.is_empty() && self.find(&merged_head()).await?.is_none();
        let mut call = Invocation::new(&["commit", "--quiet", "--no-gpg-sign", "--no-status"])
            .and("--cleanup=whitespace")
            .and("--file=-")
            .reading(message);
        if self.hooks == Hooks::Off {
            call = call.and("--no-verify");
        }
        if only {
            call = call.and("--only").and("--").and_all(names);
        }
        let output = self.change(call).await?;
        if output.code != 0 {
            let nothing = |text: &[u8]| {
                let text = String::from_utf8_lossy(text);
                ["nothing to commit", "nothing added to commit", "no changes added"]
                    .iter()
                    .any(|sentence| text.contains(sentence))
            };
            // With everything quiet, git only says by its code that nothing has changed.
            let silent = output.stdout.is_empty() && output.stderr.is_empty();
            if silent && output.code == 1 || nothing(&output.stdout) || nothing(&output.stderr) {
                return Err(nothing_to_commit());
            }
            return Err(output.failed());
        }
        let after = self.resolve(&Revision::head()).await?;
        if Some(&after) == before.as_ref() {
            return Err(nothing_to_commit());
        }
        Ok(after)
    }

    /// Makes the index as the work tree is, for these files or for all.
    async fn stage(&self, names: &[Vec<u8>]) -> Result<()> {
        let mut call = Invocation::new(&["add", "--all"]);
        if !names.is_empty() {
            let mut input = Vec::new();
            for name in names {
                input.extend_from_slice(name);
                input.push(0);
            }
            call = call.and("--pathspec-from-file=-").and("--pathspec-file-nul").reading(input);
        }
        self.change(call).await?.done().map(drop)
    }
}

fn merged_head() -> Revision {
    Revision::own("MERGE_HEAD")
}

fn nothing_to_commit() -> Failed {
    Failed::new(
        Code::GitFailed,
        "there is nothing to commit",
        "The files are as in the last commit; look at action status.",
    )
}

/// The message with everybody who had a part in it.
fn whole_message(message: &str, co_author: Option<&Identity>) -> Result<String> {
    let message = message.trim_end();
    if message.trim().is_empty() || message.contains('\0') {
        return Err(Failed::new(
            Code::InvalidParams,
            "a commit needs a message",
            "Send message: one line, an empty one, and what more there is to say.",
        ));
    }
    Ok(match co_author {
        None => format!("{message}\n"),
        Some(who) => {
            // A trailer stands in the last paragraph, with others if there are some.
            let last = message.rsplit("\n\n").next().unwrap_or_default();
            let trailers = message.contains("\n\n") && last.lines().all(is_trailer);
            let gap = if trailers { "\n" } else { "\n\n" };
            format!("{message}{gap}Co-authored-by: {} <{}>\n", who.name(), who.email())
        }
    })
}

fn is_trailer(line: &str) -> bool {
    let word = |key: &str| {
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    line.split_once(": ").is_some_and(|(key, _)| word(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_else_stands_in_the_last_paragraph() {
        let ada = Identity::new("Ada", "ada@example.com").unwrap();
        let with = |message| whole_message(message, Some(&ada)).unwrap();
        assert_eq!(with("fix: a"), "fix: a\n\nCo-authored-by: Ada <ada@example.com>\n");
        assert_eq!(
            with("a\n\nSigned-off-by: B <b@c>\n"),
            "a\n\nSigned-off-by: B <b@c>\nCo-authored-by: Ada <ada@example.com>\n"
        );
        assert!(with("a\n\nNo trailer: \nhere").contains("here\n\nCo-"));
        assert!(whole_message(" \n", None).is_err());
        assert!(whole_message("a\0b", None).is_err());
    }
}
