//! The one table of error codes.
//!
//! Every interface answers from this table: the wire name, the HTTP status, the
//! errno for callers that speak in those, whether trying again can help, what
//! happened, and what the caller can do about it.

/// Whether the same call can succeed later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// Not without a change.
    Never,
    /// As it is, after a while.
    Later,
    /// After reading the current state again.
    Afresh,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The code.
    pub code: Code,
    /// Its name on every wire.
    pub name: &'static str,
    /// Its HTTP status.
    pub http: u16,
    /// The errno nearest to it.
    pub errno: i32,
    /// Whether trying again can help.
    pub retry: Retry,
    /// What happened, in lower case, to be followed by a path.
    pub phrase: &'static str,
    /// What the caller can do.
    pub hint: &'static str,
}

macro_rules! codes {
    ($($variant:ident $name:literal $http:literal $errno:ident $retry:ident $phrase:literal $hint:literal;)*) => {
        /// Why a call was refused or failed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code {
            $(#[doc = concat!("`", $name, "`: ", $phrase, ".")] $variant,)*
        }

        // The one copy: rows that a function holds are in every crate that calls it, and each
        // address in them is set when the program starts.
        static ROWS: [Row; [$(Code::$variant),*].len()] = [
            $(Row {
                code: Code::$variant,
                name: $name,
                http: $http,
                errno: errno::$errno,
                retry: Retry::$retry,
                phrase: $phrase,
                hint: $hint,
            },)*
        ];

        /// Every code, one row each, in the order of [`Code`].
        pub static TABLE: &[Row] = &ROWS;

        impl Code {
            /// The row of the table that describes this code.
            #[must_use]
            pub fn row(self) -> &'static Row {
                // There is none that has no row.
                ROWS.get(self as usize).unwrap_or(&ROWS[0])
            }
        }
    };
}

codes! {
    AgentNotFound            "AGENT_NOT_FOUND"             404 ENOENT       Never  "no such agent"                        "Check the agent id; operators can list agents.";
    WorkspaceNotFound        "WORKSPACE_NOT_FOUND"         404 ENOENT       Never  "the workspace is missing"             "Create the workspace, or name an existing directory.";
    FileNotFound             "FILE_NOT_FOUND"              404 ENOENT       Never  "file not found"                       "List the directory or glob for the name.";
    PathOutsideWorkspace     "PATH_OUTSIDE_WORKSPACE"      403 EXDEV        Never  "the path leaves the workspace"        "Use a path relative to the workspace root.";
    PermissionDenied         "PERMISSION_DENIED"           403 EACCES       Never  "permission denied"                    "Ask the operator, or choose another path.";
    FileTooLarge             "FILE_TOO_LARGE"              413 EFBIG        Never  "the file is too large"                "Read a range, or raise the limit.";
    DiskFull                 "DISK_FULL"                   507 ENOSPC       Later  "no space is left on the device"       "Delete files or ask the operator for space.";
    InvalidPath              "INVALID_PATH"                400 EINVAL       Never  "malformed path"                       "Send a path without NUL, of at most 4,096 bytes and 255 a component.";
    InvalidEncoding          "INVALID_ENCODING"            400 EINVAL       Never  "unknown or broken encoding"           "Use utf8 or base64, or the name of a known text encoding.";
    UnsupportedEncoding      "UNSUPPORTED_ENCODING"        415 EILSEQ       Never  "the content is not text"              "Read it as base64, or name its encoding.";
    FileExists               "FILE_EXISTS"                 409 EEXIST       Never  "file exists"                          "Choose another name, or allow overwriting.";
    DirectoryNotEmpty        "DIRECTORY_NOT_EMPTY"         409 ENOTEMPTY    Never  "the directory is not empty"           "Ask for a recursive removal if everything in it can go.";
    NotAFile                 "NOT_A_FILE"                  400 EISDIR       Never  "not a regular file"                   "List a directory; pipes, sockets and devices cannot be read or written.";
    NotADirectory            "NOT_A_DIRECTORY"             400 ENOTDIR      Never  "not a directory"                      "Name the directory that holds it.";
    RateLimitExceeded        "RATE_LIMIT_EXCEEDED"         429 EAGAIN       Later  "too many requests"                    "Wait for retryAfterMs, then try again.";
    ParentNotFound           "PARENT_NOT_FOUND"            404 ENOENT       Never  "the parent directory is missing"      "Make the parent first, or ask for parents to be made.";
    CannotDeleteRoot         "CANNOT_DELETE_ROOT"          403 EBUSY        Never  "the root can be neither deleted nor moved" "Delete what is in it instead.";
    SourceNotFound           "SOURCE_NOT_FOUND"            404 ENOENT       Never  "the source of the move is missing"    "List the directory or glob for the name.";
    DestinationExists        "DESTINATION_EXISTS"          409 EEXIST       Never  "the destination exists"               "Choose another name, or allow overwriting.";
    CannotMoveToSubdirectory "CANNOT_MOVE_TO_SUBDIRECTORY" 400 EINVAL       Never  "a directory cannot be moved into itself" "Choose a destination outside the directory.";
    Conflict                 "CONFLICT"                    409 ESTALE       Afresh "the file has changed since it was read" "Read the file again and repeat the change on what it is now.";
    TextNotFound             "TEXT_NOT_FOUND"              422 ENODATA      Afresh "oldString not found in content"       "Read the file again and copy the text exactly.";
    AmbiguousMatch           "AMBIGUOUS_MATCH"             422 EINVAL       Never  "Found multiple matches for oldString" "Give more surrounding lines, or set replace_all.";
    InvalidPattern           "INVALID_PATTERN"             400 EINVAL       Never  "the pattern is wrong"                 "Correct the pattern at the position given, or search for fixed text.";
    InvalidParams            "INVALID_PARAMS"              400 EINVAL       Never  "wrong parameters"                     "Correct the parameters as the message says.";
    InvalidRequest           "INVALID_REQUEST"             400 EINVAL       Never  "malformed request"                    "Send one request object as the protocol describes.";
    UnknownMethod            "UNKNOWN_METHOD"              404 ENOSYS       Never  "unknown method"                       "List the methods there are.";
    Unauthenticated          "UNAUTHENTICATED"             401 EACCES       Never  "no valid token"                       "Send a valid token.";
    ApprovalRefused          "APPROVAL_REFUSED"            403 EACCES       Never  "approval was refused or not given"    "Ask the people who watch the workspace.";
    CommandTimeout           "COMMAND_TIMEOUT"             408 ETIMEDOUT    Never  "the command ran out of time"          "Allow more time, or run it in the background.";
    QuotaExceeded            "QUOTA_EXCEEDED"              507 EDQUOT       Later  "the workspace's quota is used up"     "Delete files or ask the operator for a larger quota.";
    RedactedContent          "REDACTED_CONTENT"            409 EINVAL       Never  "the text holds a placeholder of a redacted secret" "Edit around the placeholder instead of writing it.";
    ReadOnly                 "READ_ONLY"                   403 EROFS        Never  "the workspace is read-only"           "Ask the operator for a writable workspace.";
    Unsupported              "UNSUPPORTED"                 501 EOPNOTSUPP   Never  "the workspace cannot do this"         "Use another operation or another kind of workspace.";
    ProviderUnavailable      "PROVIDER_UNAVAILABLE"        503 EHOSTDOWN    Later  "the sandbox is not available"         "Try again later, or ask the operator to look at the provider.";
    GitFailed                "GIT_FAILED"                  502 EIO          Never  "git failed"                           "Read the message and correct the repository's state.";
    Cancelled                "CANCELLED"                   499 ECANCELED    Later  "the call was cancelled"               "Call again if the result is still wanted.";
    Internal                 "INTERNAL"                    500 EIO          Later  "an unexpected failure"                "Try again; if it persists, tell the operator.";
}

impl Code {
    /// Finds a code by its wire name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.code)
    }
}

/// Linux's error numbers, since this crate asks no system crate for them.
mod errno {
    pub(super) const ENOENT: i32 = 2;
    pub(super) const EIO: i32 = 5;
    pub(super) const EAGAIN: i32 = 11;
    pub(super) const EACCES: i32 = 13;
    pub(super) const EBUSY: i32 = 16;
    pub(super) const EEXIST: i32 = 17;
    pub(super) const EXDEV: i32 = 18;
    pub(super) const ENOTDIR: i32 = 20;
    pub(super) const EISDIR: i32 = 21;
    pub(super) const EINVAL: i32 = 22;
    pub(super) const EFBIG: i32 = 27;
    pub(super) const ENOSPC: i32 = 28;
    pub(super) const EROFS: i32 = 30;
    pub(super) const ENOSYS: i32 = 38;
    pub(super) const ENOTEMPTY: i32 = 39;
    pub(super) const ENODATA: i32 = 61;
    pub(super) const EILSEQ: i32 = 84;
    pub(super) const EOPNOTSUPP: i32 = 95;
    pub(super) const ETIMEDOUT: i32 = 110;
    pub(super) const EHOSTDOWN: i32 = 112;
    pub(super) const ESTALE: i32 = 116;
    pub(super) const EDQUOT: i32 = 122;
    pub(super) const ECANCELED: i32 = 125;
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_name_is_unique_and_finds_its_code() {
        let names: HashSet<_> = TABLE.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), TABLE.len());
        for row in TABLE {
            assert_eq!(Code::from_name(row.name), Some(row.code));
            assert_eq!(row.code.row().name, row.name);
        }
        assert_eq!(Code::from_name("NOPE"), None);
    }

    #[test]
    fn every_row_says_what_happened_and_what_to_do() {
        for row in TABLE {
            assert!(!row.phrase.ends_with('.'), "{}", row.name);
            assert!(row.hint.ends_with('.'), "{}", row.name);
            assert!((400..=599).contains(&row.http), "{}", row.name);
        }
    }
}
