//! What went wrong, in the three shapes that the wire has for it.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use garth_contract::{Code, Detail, Error};
use serde_json::{Value, json};

/// A refusal: its word in Connect, its status in HTTP, and what is said.
#[derive(Clone, Debug)]
pub(super) struct Wrong {
    pub(super) kind: Kind,
    pub(super) message: String,
    retry_after: Option<u64>,
}

/// The result of whatever answers on this wire.
pub(super) type Result<T> = std::result::Result<T, Wrong>;

/// The kinds of refusals that SDKs tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Canceled,
    InvalidArgument,
    DeadlineExceeded,
    NotFound,
    AlreadyExists,
    PermissionDenied,
    ResourceExhausted,
    FailedPrecondition,
    Unimplemented,
    Internal,
    Unavailable,
    DataLoss,
    Unauthenticated,
    /// The body of a file is larger than what there is room for.
    NoRoom,
    /// Neither of the encodings that are asked for can be had.
    NotAcceptable,
    /// There is no sandbox that could answer; its proxy does.
    NoSandbox,
}

impl Kind {
    /// The word in Connect, and the status in HTTP.
    const fn row(self) -> (&'static str, u16) {
        match self {
            Self::Canceled => ("canceled", 499),
            Self::InvalidArgument => ("invalid_argument", 400),
            Self::DeadlineExceeded => ("deadline_exceeded", 504),
            Self::NotFound => ("not_found", 404),
            Self::AlreadyExists => ("already_exists", 409),
            Self::PermissionDenied => ("permission_denied", 403),
            Self::ResourceExhausted => ("resource_exhausted", 429),
            Self::FailedPrecondition => ("failed_precondition", 400),
            Self::Unimplemented => ("unimplemented", 501),
            Self::Internal => ("internal", 500),
            Self::Unavailable => ("unavailable", 503),
            Self::DataLoss => ("data_loss", 500),
            Self::Unauthenticated => ("unauthenticated", 401),
            Self::NoRoom => ("resource_exhausted", 507),
            Self::NotAcceptable => ("invalid_argument", 406),
            Self::NoSandbox => ("unavailable", 502),
        }
    }

    fn of(code: Code) -> Self {
        match code {
            Code::FileNotFound
            | Code::SourceNotFound
            | Code::ParentNotFound
            | Code::AgentNotFound
            | Code::WorkspaceNotFound => Self::NotFound,
            Code::FileExists | Code::DestinationExists => Self::AlreadyExists,
            Code::PermissionDenied | Code::ReadOnly | Code::ApprovalRefused => {
                Self::PermissionDenied
            }
            Code::Unauthenticated => Self::Unauthenticated,
            Code::RateLimitExceeded => Self::ResourceExhausted,
            Code::QuotaExceeded | Code::DiskFull => Self::NoRoom,
            Code::Unsupported | Code::UnknownMethod => Self::Unimplemented,
            Code::ProviderUnavailable => Self::Unavailable,
            Code::CommandTimeout => Self::DeadlineExceeded,
            Code::Internal | Code::GitFailed => Self::Internal,
            Code::Cancelled => Self::Canceled,
            Code::Conflict | Code::DirectoryNotEmpty | Code::RedactedContent => {
                Self::FailedPrecondition
            }
            Code::PathOutsideWorkspace
            | Code::FileTooLarge
            | Code::InvalidPath
            | Code::InvalidEncoding
            | Code::UnsupportedEncoding
            | Code::NotAFile
            | Code::NotADirectory
            | Code::CannotDeleteRoot
            | Code::CannotMoveToSubdirectory
            | Code::TextNotFound
            | Code::AmbiguousMatch
            | Code::InvalidPattern
            | Code::InvalidParams
            | Code::InvalidRequest => Self::InvalidArgument,
        }
    }
}

impl From<Error> for Wrong {
    fn from(error: Error) -> Self {
        let retry_after = error.details().iter().find_map(|detail| {
            let Detail::RetryAfter(time) = detail else { return None };
            Some(time.as_secs().max(1))
        });
        Self { kind: Kind::of(error.code()), message: error.message().to_owned(), retry_after }
    }
}

impl Wrong {
    pub(super) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None }
    }

    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::InvalidArgument, message)
    }

    /// That a sandbox does not run, in the words by which SDKs know it.
    pub(super) fn no_sandbox() -> Self {
        Self::new(Kind::NoSandbox, "The sandbox was not found")
    }

    /// That there is no such sandbox, for whoever asks about it.
    pub(super) fn unknown(id: &str) -> Self {
        Self::new(Kind::NotFound, format!("Sandbox {id:?} was not found"))
    }

    /// The same with another kind.
    pub(super) fn into_kind(mut self, from: Kind, to: Kind) -> Self {
        if self.kind == from {
            self.kind = to;
        }
        self
    }

    fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.kind.row().1).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// As routes of HTTP say it.
    pub(super) fn plain(&self) -> Response {
        let status = self.status();
        let body = json!({ "code": status.as_u16(), "message": self.message });
        self.with_headers((status, Json(body)).into_response())
    }

    /// As a call of Connect with one answer says it.
    pub(super) fn unary(&self) -> Response {
        self.with_headers((self.status(), Json(self.told())).into_response())
    }

    /// As the end of a stream says it.
    pub(super) fn told(&self) -> Value {
        json!({ "code": self.kind.row().0, "message": self.message })
    }

    fn with_headers(&self, mut response: Response) -> Response {
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
