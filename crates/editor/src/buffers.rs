//! The way to a client's buffers: two requests, and how they can fail.

use std::future::Future;

use agent_client_protocol_schema::v1::{
    Error, ReadTextFileRequest, ReadTextFileResponse, WriteTextFileRequest, WriteTextFileResponse,
};
use garth_contract::BoxFuture;

/// The buffers of a client: whoever holds a connection to it implements this.
///
/// With a library of the protocol each method is one call of its connection;
/// [`Pipe`](crate::Pipe) has them for those without. Deadlines, bounds and the
/// number of requests at once are the business of [`Session`](crate::Session).
///
/// Cancel: a dropped request may still reach the client; its answer is then thrown
/// away.
pub trait Buffers: Send + Sync + 'static {
    /// Asks for a text: `fs/read_text_file`.
    fn read(
        &self,
        request: ReadTextFileRequest,
    ) -> impl Future<Output = Result<ReadTextFileResponse, Trouble>> + Send;

    /// Hands a text over: `fs/write_text_file`.
    fn write(
        &self,
        request: WriteTextFileRequest,
    ) -> impl Future<Output = Result<WriteTextFileResponse, Trouble>> + Send;
}

/// Why a request has no answer of use.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// The client answered with an error.
    Refused(Error),
    /// The answer is larger than what is taken.
    TooLarge,
    /// The answer is no answer to this request.
    Garbled,
    /// The client is gone.
    Gone,
}

/// [`Buffers`] behind a pointer; each method means what its twin means.
#[allow(missing_docs, reason = "each method is specified on its twin in Buffers")]
pub trait DynBuffers: Send + Sync {
    fn read(
        &self,
        request: ReadTextFileRequest,
    ) -> BoxFuture<'_, Result<ReadTextFileResponse, Trouble>>;
    fn write(
        &self,
        request: WriteTextFileRequest,
    ) -> BoxFuture<'_, Result<WriteTextFileResponse, Trouble>>;
}

impl<B: Buffers> DynBuffers for B {
    fn read(
        &self,
        request: ReadTextFileRequest,
    ) -> BoxFuture<'_, Result<ReadTextFileResponse, Trouble>> {
        Box::pin(Buffers::read(self, request))
    }

    fn write(
        &self,
        request: WriteTextFileRequest,
    ) -> BoxFuture<'_, Result<WriteTextFileResponse, Trouble>> {
        Box::pin(Buffers::write(self, request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twin_is_object_safe() {
        fn takes(_: Option<&dyn DynBuffers>) {}
        takes(None);
    }
}
