//! A tree that a client prepares: what it says about it, until it lands or is left.

use std::sync::Arc;

use garth_contract::WsPath;
use garth_wire::{Answer, Fault, Request};

use crate::{attend::Attendance, call::told, serve::LARGE};

/// Stages a tree. It lives as long as its stream is busy with it: a client that
/// gives the stream up has it discarded, by its drop.
pub(crate) async fn stage(attendance: &mut Attendance, base: WsPath) -> Result<(), Fault> {
    let files = Arc::clone(&attendance.shared.served.files);
    let mut opened = None;
    let call = async {
        told(files.stage(&base).await, |stage| {
            opened = Some(stage);
            Answer::Done
        })
    };
    let answer = attendance.unless_gone(call).await?;
    attendance.send(answer.encode()).await?;
    let Some(mut stage) = opened else { return Ok(()) };
    loop {
        let answer = match attendance.receive(LARGE).await? {
            Request::Parts(parts) => {
                let call = async { told(stage.add(parts).await, |()| Answer::Done) };
                attendance.unless_gone(call).await?
            }
            Request::ReadBack(path, offset, length) => {
                let length = length.min(LARGE);
                let call =
                    async { told(stage.read_back(&path, offset, length).await, Answer::Bytes) };
                attendance.unless_gone(call).await?
            }
            Request::Land(clobber) => {
                let call = async { told(stage.land(clobber).await, Answer::Landed) };
                let landed = attendance.unless_gone(call).await?;
                return attendance.send(landed.encode()).await;
            }
            Request::Discard => {
                let call = async {
                    stage.discard().await;
                    Answer::Done
                };
                let gone = attendance.unless_gone(call).await?;
                return attendance.send(gone.encode()).await;
            }
            Request::Ping
            | Request::Stat(..)
            | Request::List(..)
            | Request::Read(..)
            | Request::Write(..)
            | Request::MakeDir(..)
            | Request::Remove(..)
            | Request::Rename(..)
            | Request::Find(_)
            | Request::Enough
            | Request::Watch(_)
            | Request::Run(_)
            | Request::Start(_)
            | Request::Output(..)
            | Request::Input(..)
            | Request::Signal(..)
            | Request::Resize(..)
            | Request::Processes
            | Request::End(_)
            | Request::ReadLink(_)
            | Request::Stage(_) => return Err(Fault::Malformed("a request within a request")),
        };
        attendance.send(answer.encode()).await?;
    }
}
