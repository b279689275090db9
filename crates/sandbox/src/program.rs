//! Last layer: the program, with its own streams and signals, and tied to whoever
//! started it.

use std::{
    ffi::{CString, OsStr, OsString},
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
};

use rustix::{
    fs::{Mode, OFlags, openat},
    io::{Errno, fcntl_dupfd_cloexec, read},
    process::{Signal, set_parent_process_death_signal},
    stdio::{dup2_stderr, dup2_stdin, dup2_stdout},
};

use crate::{
    Image, Program, Refusal, Stdio,
    act::{Act, During, Failed},
    clone_unsafe::Lease,
    ids::Ids,
    image::{self, Sealed},
    program_unsafe::{Pointers, close_others_on_exec, exec_handle, exec_path, reset_signals},
    trial::{self, Trial},
};

/// The first handle that is no standard stream.
const FIRST_OTHER: i32 = 3;

/// The program, ready to be run.
#[derive(Debug)]
pub(crate) struct Ready {
    image: What,
    arguments: Vec<CString>,
    environment: Vec<CString>,
    streams: [OwnedFd; 3],
    parent: u32,
}

#[derive(Debug)]
enum What {
    Path(CString),
    File(Sealed),
    Trial(Trial),
}

/// What is to be run: a program, or what tries the sandbox.
pub(crate) enum Work<'a> {
    Program(&'a Program),
    Trial(Trial),
}

/// Takes program, variables and streams over.
///
/// *Errors*: `Program` where a text has a NUL in it, or no handle is left.
pub(crate) fn prepare(
    work: Work<'_>,
    ids: &Ids,
    (environment, stdio): (&[(OsString, OsString)], &Stdio),
) -> Result<Ready, Refusal> {
    let text = |text: &OsStr| {
        let nul = |_| Refusal::of(Act::Argument, "a text has a NUL in it");
        CString::new(text.as_bytes()).map_err(nul)
    };
    let (image, arguments) = match work {
        Work::Trial(trial) => (What::Trial(trial), &[][..]),
        Work::Program(program) => match &program.image {
            Image::Inside(path) => (What::Path(text(path.as_os_str())?), &program.arguments[..]),
            Image::Open(file) => (What::File(image::prepare(file, ids)?), &program.arguments[..]),
        },
    };
    let arguments = arguments.iter().map(|argument| text(argument));
    let variables = environment.iter().map(|(name, value)| {
        let mut line = name.clone();
        line.push("=");
        line.push(value);
        text(&line)
    });
    Ok(Ready {
        image,
        arguments: arguments.collect::<Result<_, _>>()?,
        environment: variables.collect::<Result<_, _>>()?,
        streams: [keep(&stdio.input)?, keep(&stdio.output)?, keep(&stdio.error)?],
        parent: std::process::id(),
    })
}

/// Another handle, which no standard stream will replace.
fn keep(file: impl AsFd) -> Result<OwnedFd, Refusal> {
    Ok(fcntl_dupfd_cloexec(file, FIRST_OTHER).during(Act::Streams)?)
}

impl Ready {
    /// Keeps the program's file from being changed, where it is one from outside.
    pub(crate) fn seal(&self) -> Result<Option<OwnedFd>, Failed> {
        match &self.image {
            What::Path(_) | What::Trial(_) => Ok(None),
            What::File(file) => file.seal(),
        }
    }

    /// That file, with what `seal` gave.
    pub(crate) fn file<'a>(&'a self, sealed: Option<&'a OwnedFd>) -> Option<&'a OwnedFd> {
        match &self.image {
            What::Path(_) | What::Trial(_) => None,
            What::File(file) => file.file(sealed),
        }
    }

    /// What exec wants, which must be made before the new process is.
    pub(crate) fn pointers(&self) -> (Pointers<'_>, Pointers<'_>) {
        (Pointers::to(&self.arguments), Pointers::to(&self.environment))
    }

    /// Asks to be killed when the thread that made this process ends, and looks whether
    /// it had ended before.
    ///
    /// The parent's number inside is 0, alive or dead, so it is read from outside. A parent
    /// that ends after this has been asked will kill; one that ended before is not the parent
    /// any more: there is no moment between.
    pub(crate) fn tie(&self, proc: &OwnedFd) -> Result<(), Failed> {
        set_parent_process_death_signal(Some(Signal::KILL)).during(Act::DeathSignal)?;
        let file = openat(proc, c"self/stat", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
        let mut text = [0; 128];
        let length = read(file.during(Act::Orphaned)?, &mut text).during(Act::Orphaned)?;
        let parent = text.get(..length).and_then(parent_in);
        if parent == Some(self.parent) {
            Ok(())
        } else {
            Err(Failed { act: Act::Orphaned, errno: Errno::SRCH })
        }
    }

    /// Puts the streams in place and marks all other handles to be closed.
    pub(crate) fn take_streams(&self) -> Result<(), Failed> {
        let [input, output, error] = &self.streams;
        dup2_stdin(input).during(Act::Streams)?;
        dup2_stdout(output).during(Act::Streams)?;
        dup2_stderr(error).during(Act::Streams)?;
        close_others_on_exec().during(Act::CloseRest)?;
        reset_signals();
        Ok(())
    }

    /// Becomes the program, or makes the trial and gives its exit code.
    pub(crate) fn run(
        &self,
        sealed: Option<&OwnedFd>,
        (arguments, environment): &(Pointers<'_>, Pointers<'_>),
    ) -> Result<i32, Failed> {
        let errno = match &self.image {
            What::Path(path) => exec_path(path, arguments, environment),
            What::File(file) => match file.file(sealed) {
                Some(file) => exec_handle(file, arguments, environment),
                None => Errno::BADF,
            },
            What::Trial(trial) => return Ok(trial::run(trial)),
        };
        Err(Failed { act: Act::Exec, errno })
    }

    /// What the memory of the new process can be: a trial does more than a new process
    /// may on ours.
    pub(crate) fn lease(&self, ids: &Ids) -> Lease {
        match (&self.image, ids) {
            (What::Trial(_), _) => Lease::copied(),
            (What::Path(_) | What::File(_), Ids::Own(_)) => Lease::shared(),
            (What::Path(_) | What::File(_), Ids::Runner(_)) => Lease::shared_alone(),
        }
    }
}

/// The parent's number in a line of `/proc/…/stat`: the second word after the name, which
/// stands in parentheses and may hold anything.
fn parent_in(stat: &[u8]) -> Option<u32> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut words = stat.get(name_end + 1..)?.split(|byte| *byte == b' ').skip(2);
    words.next()?.iter().try_fold(0_u32, |number, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number.checked_mul(10)?.checked_add(digit.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_found_behind_any_name() {
        assert_eq!(parent_in(b"12 (a) b) S 345 12 0"), Some(345));
        assert_eq!(parent_in(b"12 (a) S x 12"), None);
        assert_eq!(parent_in(b"12 (a"), None);
    }
}
