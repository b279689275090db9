//! What `sudo` is in a sandbox whose system is its own: it runs a command as user 0.
//!
//! Nothing is asked and nothing is gained: the command has the same files and the same
//! fence, another number, and no capability. The options of the real one that mean nothing
//! here are taken and passed over, so that scripts run as they are.

#![allow(clippy::print_stderr, reason = "it is a program, which says what it cannot do")]

use std::{
    env,
    ffi::{OsStr, OsString},
    io,
    os::unix::{ffi::OsStrExt, process::CommandExt},
    process::{Command, ExitCode},
};

use rustix::{
    fs::{CWD, Mode, OFlags, openat},
    process::{getegid, geteuid},
    thread::{LinkNameSpaceType, move_into_link_name_space},
};

use crate::{privileges, superuser::NAMESPACE};

/// The home directory of user 0.
const HOME: &str = "/root";

/// What runs where no command is named.
const SHELL: &str = "/bin/bash";

/// What a shell says of a command that is not there.
const NO_COMMAND: u8 = 127;

/// What is asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked {
    user: Option<OsString>,
    variables: Vec<(OsString, OsString)>,
    command: Vec<OsString>,
    /// A shell is wanted.
    shell: bool,
    /// It begins at home.
    login: bool,
    /// Nothing is to be run.
    nothing: bool,
}

/// Runs the command of these arguments, without the program's own name.
///
/// Comes back only where it could not be run.
pub fn sudo(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let refused = |why: String| {
        eprintln!("sudo: {why}");
        ExitCode::FAILURE
    };
    let asked = match parse(arguments) {
        Ok(asked) if asked.nothing => return ExitCode::SUCCESS,
        Ok(asked) => asked,
        Err(why) => return refused(why),
    };
    let own = env::var_os("USER").unwrap_or_default();
    let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
    let root = asked.user.as_deref().is_none_or(|user| user == "root" || user == "#0");
    let itself = asked.user.as_ref().is_some_and(|user| *user == own);
    if !root && !itself {
        return refused("there are two users here: the usual one, and root".to_owned());
    }
    if root
        && uid != 0
        && let Err(error) = enter()
    {
        return refused(format!("this sandbox has no root: {error}"));
    }
    let mut words = asked.command.into_iter();
    let shell = || env::var_os("SHELL").unwrap_or_else(|| SHELL.into());
    let Some(program) = words.next().or_else(|| asked.shell.then(shell)) else {
        return refused("a command is needed".to_owned());
    };
    let mut command = Command::new(&program);
    command.args(words);
    if root {
        command.envs([("HOME", HOME), ("USER", "root"), ("LOGNAME", "root")]);
        command.env("SUDO_USER", own).env("SUDO_UID", uid.to_string());
        command.env("SUDO_GID", gid.to_string());
    }
    if asked.login {
        command.current_dir(if root {
            OsStr::new(HOME).to_owned()
        } else {
            env::var_os("HOME").unwrap_or_default()
        });
    }
    command.envs(asked.variables);
    let error = command.exec();
    if error.kind() == io::ErrorKind::NotFound {
        eprintln!("sudo: {}: command not found", program.display());
        return ExitCode::from(NO_COMMAND);
    }
    refused(format!("{}: {error}", program.display()))
}

/// Becomes user 0, and gives up what comes with it.
fn enter() -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let namespace = openat(CWD, NAMESPACE, flags, Mode::empty())?;
    move_into_link_name_space(std::os::fd::AsFd::as_fd(&namespace), Some(LinkNameSpaceType::User))?;
    privileges::enter().map_err(|failed| failed.errno.into())
}

/// Options without a value that change nothing here.
const PLAIN: &[u8] = b"AbBEHknNPS";
/// The same in words.
const PLAIN_WORDS: &[&str] = &[
    "--askpass",
    "--background",
    "--non-interactive",
    "--preserve-env",
    "--preserve-groups",
    "--reset-timestamp",
    "--set-home",
    "--stdin",
];
/// Options whose value changes nothing here.
const VALUED: &[u8] = b"CghprTtU";

fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Asked, String> {
    let mut asked = Asked::default();
    while let Some(argument) = arguments.next() {
        let unknown = || format!("{}: not an option that is known here", argument.display());
        let text = argument.as_bytes();
        if text == b"--" {
            asked.command.extend(arguments);
            break;
        }
        if let Some(word) = argument.to_str().filter(|word| word.starts_with("--")) {
            let (name, value) = word.split_once('=').map_or((word, None), |(n, v)| (n, Some(v)));
            match (name, value) {
                ("--user", Some(user)) => asked.user = Some(user.into()),
                ("--user", None) => asked.user = Some(arguments.next().ok_or_else(unknown)?),
                ("--login", None) => (asked.shell, asked.login) = (true, true),
                ("--shell", None) => asked.shell = true,
                ("--validate" | "--list" | "--remove-timestamp", None) => asked.nothing = true,
                (plain, _) if PLAIN_WORDS.contains(&plain) => {}
                _ => return Err(unknown()),
            }
            continue;
        }
        if let [b'-', letters @ ..] = text
            && !letters.is_empty()
        {
            take_letters(&mut asked, letters, &mut arguments).ok_or_else(unknown)?;
            continue;
        }
        if let Some(at) = text.iter().position(|byte| *byte == b'=').filter(|at| *at > 0) {
            let (name, value) = text.split_at(at);
            let value = value.get(1..).unwrap_or_default();
            let owned = |bytes| OsStr::from_bytes(bytes).to_owned();
            asked.variables.push((owned(name), owned(value)));
            continue;
        }
        asked.command.push(argument);
        asked.command.extend(arguments);
        break;
    }
    Ok(asked)
}

/// Takes options of one letter each; the rest, or the next argument, is the value of one that
/// has a value.
fn take_letters(
    asked: &mut Asked,
    mut letters: &[u8],
    arguments: &mut impl Iterator<Item = OsString>,
) -> Option<()> {
    while let [letter, rest @ ..] = letters {
        letters = rest;
        match letter {
            b'i' => (asked.shell, asked.login) = (true, true),
            b's' => asked.shell = true,
            b'v' | b'l' | b'K' => asked.nothing = true,
            b'u' => {
                let value = if rest.is_empty() {
                    arguments.next()?
                } else {
                    OsStr::from_bytes(rest).to_owned()
                };
                asked.user = Some(value);
                return Some(());
            }
            letter if PLAIN.contains(letter) => {}
            letter if VALUED.contains(letter) => {
                if rest.is_empty() {
                    arguments.next()?;
                }
                return Some(());
            }
            _ => return None,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &[&str]) -> Result<Asked, String> {
        parse(words.iter().map(OsString::from))
    }

    #[test]
    fn what_scripts_write_is_understood() {
        let plain = Asked { command: vec!["ls".into(), "-u".into()], ..Asked::default() };
        for words in [
            &["ls", "-u"][..],
            &["-n", "ls", "-u"],
            &["-nE", "--", "ls", "-u"],
            &["--preserve-env=A,B", "-p", "say", "ls", "-u"],
        ] {
            assert_eq!(asked(words).unwrap(), plain, "{words:?}");
        }
        let named = asked(&["-u", "user", "A=1", "env"]).unwrap();
        assert_eq!(named.user, Some("user".into()));
        assert_eq!(named.variables, [("A".into(), "1".into())]);
        assert_eq!(asked(&["-Hu#0", "id"]).unwrap().user, Some("#0".into()));
        assert!(asked(&["-i"]).unwrap().login && asked(&["-s"]).unwrap().shell);
        assert!(asked(&["-nv"]).unwrap().nothing);
        for wrong in [&["-Z", "ls"][..], &["--what", "ls"], &["-u"]] {
            assert!(asked(wrong).is_err(), "{wrong:?}");
        }
    }
}
