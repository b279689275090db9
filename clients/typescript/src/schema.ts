// Written from the gateway's OpenAPI document by `make docs`; not to be edited.

export type Error = {
  error: {
    code: "AGENT_NOT_FOUND" | "WORKSPACE_NOT_FOUND" | "FILE_NOT_FOUND" | "PATH_OUTSIDE_WORKSPACE" | "PERMISSION_DENIED" | "FILE_TOO_LARGE" | "DISK_FULL" | "INVALID_PATH" | "INVALID_ENCODING" | "UNSUPPORTED_ENCODING" | "FILE_EXISTS" | "DIRECTORY_NOT_EMPTY" | "NOT_A_FILE" | "NOT_A_DIRECTORY" | "RATE_LIMIT_EXCEEDED" | "PARENT_NOT_FOUND" | "CANNOT_DELETE_ROOT" | "SOURCE_NOT_FOUND" | "DESTINATION_EXISTS" | "CANNOT_MOVE_TO_SUBDIRECTORY" | "CONFLICT" | "TEXT_NOT_FOUND" | "AMBIGUOUS_MATCH" | "INVALID_PATTERN" | "INVALID_PARAMS" | "INVALID_REQUEST" | "UNKNOWN_METHOD" | "UNAUTHENTICATED" | "APPROVAL_REFUSED" | "COMMAND_TIMEOUT" | "QUOTA_EXCEEDED" | "REDACTED_CONTENT" | "READ_ONLY" | "UNSUPPORTED" | "PROVIDER_UNAVAILABLE" | "GIT_FAILED" | "CANCELLED" | "INTERNAL";
    message: string;
    details: {
      hint: string;
      path?: string;
      retryAfterMs?: number;
    };
    retryAfterMs?: number;
  };
};

export type AgentId = string;

export type Settings = {
  provider?: string;
  /** A directory that is adopted. */
  directory?: string;
  /** The workspace is the sandbox's home. */
  home?: boolean;
  /** A root filesystem, or an image. */
  system?: string;
  readOnly?: boolean;
  quotaBytes?: number;
  maxFileBytes?: number;
  deny?: Array<string>;
  protect?: Array<string>;
  limits?: {
    requestsPerMinute?: number;
    bytesPerMinute?: number;
    concurrentReads?: number;
    watches?: number;
    processes?: number;
  };
  redaction?: {
    enabled?: boolean;
    defaultBehavior?: "redact" | "allow" | "block";
    customPatterns?: Array<{
      name: string;
      regex: string;
      replacement?: string;
    }>;
    excludePaths?: Array<string>;
    excludePatterns?: Array<string>;
  };
  approvals?: {
    otherwise?: "allow" | "ask" | "deny";
    rules?: Array<{
      operation: string;
      path?: string;
      command?: string;
      then: "allow" | "ask" | "deny";
    }>;
    waitMs?: number;
    answeredBy?: "anybody" | "operators";
  };
  git?: {
    url: string;
    branch?: string;
    credential?: string;
    branches?: Array<string>;
    workflows?: "allow" | "refuse";
  };
};

export type NewAgent = {
  provider?: string;
  /** A directory that is adopted. */
  directory?: string;
  /** The workspace is the sandbox's home. */
  home?: boolean;
  /** A root filesystem, or an image. */
  system?: string;
  readOnly?: boolean;
  quotaBytes?: number;
  maxFileBytes?: number;
  deny?: Array<string>;
  protect?: Array<string>;
  limits?: {
    requestsPerMinute?: number;
    bytesPerMinute?: number;
    concurrentReads?: number;
    watches?: number;
    processes?: number;
  };
  redaction?: {
    enabled?: boolean;
    defaultBehavior?: "redact" | "allow" | "block";
    customPatterns?: Array<{
      name: string;
      regex: string;
      replacement?: string;
    }>;
    excludePaths?: Array<string>;
    excludePatterns?: Array<string>;
  };
  approvals?: {
    otherwise?: "allow" | "ask" | "deny";
    rules?: Array<{
      operation: string;
      path?: string;
      command?: string;
      then: "allow" | "ask" | "deny";
    }>;
    waitMs?: number;
    answeredBy?: "anybody" | "operators";
  };
  git?: {
    url: string;
    branch?: string;
    credential?: string;
    branches?: Array<string>;
    workflows?: "allow" | "refuse";
  };
  id: AgentId;
};

export type Agent = {
  id: AgentId;
  state: "active" | "stopped";
  settings: Settings;
  epoch: number;
  seq: number;
  createdMs: number;
  updatedMs: number;
};

export type Agents = {
  agents: Array<Agent>;
  nextCursor?: string;
};

export type Deleted = {
  deleted: true;
  path?: string;
};

export type Uploaded = {
  path: string;
  sizeBytes: number;
  created: boolean;
  version: string;
  modifiedAt?: string;
};

export type Token = {
  id: string;
  role: "operator" | "agent" | "user";
  agent?: (AgentId | null);
  kind?: string;
  label: string;
  createdMs: number;
  expiresMs?: number | null;
  revokedMs?: number | null;
};

export type Approval = {
  id: string;
  agentId: AgentId;
  caller: string;
  session?: string;
  operation: string;
  summary: string;
  change?: string;
  askedMs: number;
  deadlineMs: number;
};

export type AuditRecord = {
  sequence: number;
  timeMs: number;
  caller: string;
  role: string;
  session?: string;
  workspace?: string;
  operation: string;
  summary?: string;
  outcome: string;
  durationUs?: number;
  bytesIn?: number;
  bytesOut?: number;
  hash: string;
};

export type Restored = {
  entries: number;
  files: number;
  dirs: number;
  links: number;
  sizeBytes: number;
  leftOut: number;
  replaced: number;
};

export type Session = {
  id: string;
  role: "operator" | "agent" | "user";
  agent?: string;
  label: string;
  expiresMs?: number;
};

export type Ticket = {
  ticket: string;
};

export type Ended = {
  ended: true;
};

export type Health = {
  writable: boolean;
  leased: boolean;
  workspaces: number;
  approvals: number;
  faults: number;
};

export type ReadParams = {
  /** The file, relative to the workspace's root. */
  path: string;
  /** The first line to read, counted from 1. */
  offset?: number;
  /** How many lines to read; 2,000 at most. */
  limit?: number;
  /** Reads so many lines at the end of the file, instead of offset and limit. */
  tail?: number;
  /** The first character of each line to show, counted from 1, to see the rest of long lines. */
  column?: number;
  /** The encoding of the file where it is neither UTF-8 nor marked, such as latin1. */
  encoding?: string;
};

export type ReadResult = {
  /** What was read, from the root. */
  path: string;
  /** What it is: text, binary, image or dir. */
  kind: string;
  /** The lines of a text, each after its number. */
  content?: string;
  /** The number of the first line given, where it is known. */
  first_line?: number;
  /** How many lines are given. */
  lines?: number;
  /** How many lines the file has, where that is known. */
  total_lines?: number;
  /** Whether lines follow those that are given. */
  truncated?: boolean;
  /** The offset to read on with. */
  next_offset?: number;
  /** The numbers of lines that are longer than what is given of them. */
  cut_lines?: Array<number>;
  /** The names of secrets that are shown as placeholders. */
  redacted?: Array<string>;
  /** The encoding of a text. */
  encoding?: string;
  /** Whether a byte order mark stands before the text. */
  byte_order_mark?: boolean;
  /** How the lines end: lf, crlf, cr, mixed or none. */
  line_endings?: string;
  /** The type of a file that is no text. */
  media_type?: string;
  /** The size of the file. */
  size_bytes?: number;
  /** When it last changed, in RFC 3339. */
  modified_at?: string;
  /** The version of the file, to send back as expected_version; of large files it is not known. */
  version?: string;
  /** The listing of a directory. */
  listing?: {
    /** The directory, from the root. */
    path: string;
    /** The entries, by name. */
    entries: Array<{
      /** Where it is, from the root. */
      path: string;
      /** What it is: file, dir, symlink, fifo, socket or device. */
      kind: string;
      /** The size of a file. */
      size_bytes?: number;
      /** When its content last changed, in RFC 3339. */
      modified_at?: string;
      /** Its permission bits in octal, for example 0644. */
      mode?: string;
    }>;
    /** How many entries there are in all, where that is known. */
    total?: number;
    /** How many hidden or ignored entries of the directory are left out. */
    left_out?: number;
    /** Whether there are more entries than these. */
    truncated: boolean;
    /** The offset to go on with. */
    next_offset?: number;
  };
};

export type WriteParams = {
  /** The file, relative to the workspace's root. */
  path: string;
  /** The whole new content. */
  content: string;
  /** utf8 (the default) for text, base64 for bytes, or the name of the text encoding to write in, such as latin1; a file that exists keeps its own unless another is named. */
  encoding?: string;
  /** Whether a file that exists is replaced; true unless said otherwise. */
  overwrite?: boolean;
  /** Whether missing directories are made; true unless said otherwise. */
  create_dirs?: boolean;
  /** The version that a read returned; any other is a CONFLICT. */
  expected_version?: string;
  /** What becomes of line endings. keep: Text with LF over a file with CRLF gets CRLF; this is the default. as_is: The text is written as it was sent. */
  line_endings?: "keep" | "as_is";
};

export type WriteResult = {
  /** The file, from the root. */
  path: string;
  /** Its size in bytes. */
  size_bytes: number;
  /** Whether it is new. */
  created: boolean;
  /** Its version now. */
  version: string;
  /** What was kept of the file that was replaced: its encoding, its line endings. */
  kept?: Array<string>;
  /** What changed, as a unified diff, for a text of moderate size. */
  diff?: string;
};

export type EditParams = {
  /** The file, relative to the workspace's root. */
  path: string;
  /** The text to replace, as it stands in the file, without line numbers. */
  old_string?: string;
  /** The text to put in its place. */
  new_string?: string;
  /** Replaces every place where old_string stands. */
  replace_all?: boolean;
  /** Several edits instead of one, applied in order, all or none. */
  edits?: Array<{
    /** The text to replace, as the edits before this one left it. */
    old_string: string;
    /** The text to put in its place. */
    new_string: string;
    /** Replaces every place where old_string stands. */
    replace_all?: boolean;
  }>;
  /** How near a match must be. exact: Byte for byte. forgiving: Also where line endings, typography or white space differ; this is the default. */
  match?: "exact" | "forgiving";
  /** The encoding of the file where it is neither UTF-8 nor marked, such as latin1. */
  encoding?: string;
  /** The version that a read returned; any other is a CONFLICT. */
  expected_version?: string;
  /** Says what the edit would do, and writes nothing. */
  dry_run?: boolean;
};

export type EditResult = {
  /** The file, from the root. */
  path: string;
  /** Whether the file is new. */
  created: boolean;
  /** Whether nothing was written because only a dry run was asked for. */
  dry_run: boolean;
  /** How many places were replaced. */
  replacements: number;
  /** How many lines are not what they were. */
  lines_changed: number;
  /** How many lines were added. */
  lines_added: number;
  /** How many lines were removed. */
  lines_removed: number;
  /** What each edit did. */
  edits: Array<{
    /** How many places it replaced. */
    replacements: number;
    /** The lines where the first of them stood, before this edit. */
    lines: Array<number>;
    /** What was forgiven, if the match was not exact. */
    forgiven?: string;
  }>;
  /** What changed, as a unified diff. */
  diff: string;
  /** Whether lines of the diff were left out. */
  diff_truncated: boolean;
  /** The names of secrets that are shown as placeholders in the diff. */
  redacted?: Array<string>;
  /** The version of the file now, or, after a dry run, as it is. */
  version?: string;
};

export type ApplyPatchParams = {
  /** The patch, from *** Begin Patch to *** End Patch. */
  patch: string;
  /** Says what the patch would do, and writes nothing. */
  dry_run?: boolean;
};

export type ApplyPatchResult = {
  /** Whether nothing was written because only a dry run was asked for. */
  dry_run: boolean;
  /** What was done to each file. */
  files: Array<{
    /** The file, from the root. */
    path: string;
    /** added, updated, deleted or moved. */
    action: string;
    /** Where a moved file was. */
    from?: string;
    /** Whether a file that was there before was replaced. */
    replaced: boolean;
    /** How many lines were added. */
    lines_added: number;
    /** How many lines were removed. */
    lines_removed: number;
    /** Whether some lines matched only with white space or typography forgiven. */
    forgiven: boolean;
    /** The version of the file now. */
    version?: string;
  }>;
  /** How many lines were added in all. */
  lines_added: number;
  /** How many lines were removed in all. */
  lines_removed: number;
  /** What changed, as a unified diff. */
  diff: string;
  /** Whether lines of the diff were left out. */
  diff_truncated: boolean;
  /** The names of secrets that are shown as placeholders in the diff. */
  redacted?: Array<string>;
};

export type GlobParams = {
  /** The pattern, relative to path. * matches within a name, ** across directories: *.ts finds files directly in path, ** /*.ts at any depth. {a,b} and [a-z] work. */
  pattern: string;
  /** The directory to look in, relative to the workspace's root; the root if absent. */
  path?: string;
  /** Finds names that begin with a dot too. */
  include_hidden?: boolean;
  /** Finds what .gitignore and .ignore files name too. */
  include_ignored?: boolean;
  /** The most files to give; 1,000 if absent. */
  limit?: number;
  /** How many files to pass over, to go on after a cut result. */
  offset?: number;
};

export type GlobResult = {
  /** The directory looked in, from the root. */
  path: string;
  /** The pattern. */
  pattern: string;
  /** The files, newest first. */
  files: Array<{
    /** Where it is, from the root. */
    path: string;
    /** What it is: file, dir, symlink, fifo, socket or device. */
    kind: string;
    /** The size of a file. */
    size_bytes?: number;
    /** When its content last changed, in RFC 3339. */
    modified_at?: string;
    /** Its permission bits in octal, for example 0644. */
    mode?: string;
  }>;
  /** How many files match in all, where that is known. */
  total?: number;
  /** Whether there are more files than these. */
  truncated: boolean;
  /** The offset to go on with. */
  next_offset?: number;
};

export type GrepParams = {
  /** The regular expression (Rust's regex syntax: no look-around, no back-references). */
  pattern: string;
  /** The directory or file to search, relative to the workspace's root; the root if absent. */
  path?: string;
  /** Searches only files that match this glob; *.ts matches at any depth. */
  include?: string;
  /** Passes over files that match this glob. */
  exclude?: string;
  /** What to give. content: Matching lines with their paths and numbers; this is the default. files: The paths of files that match. count: The number of matching lines of each file. */
  output?: "content" | "files" | "count";
  /** How many lines before each match to show. */
  before?: number;
  /** How many lines after each match to show. */
  after?: number;
  /** How many lines before and after each match to show. */
  context?: number;
  /** How letters compare. sensitive: Upper and lower case differ; this is the default. insensitive: They do not. smart: They differ only where the pattern has an upper-case letter. */
  case?: "sensitive" | "insensitive" | "smart";
  /** Lets a match span several lines, and . match a line's end. */
  multiline?: boolean;
  /** Searches for the pattern as plain text. */
  fixed?: boolean;
  /** Matches whole words only. */
  word?: boolean;
  /** Searches files whose names begin with a dot too. */
  include_hidden?: boolean;
  /** Searches what .gitignore and .ignore files name too. */
  include_ignored?: boolean;
  /** The most results to give; 1,000 if absent. */
  limit?: number;
  /** How many results to pass over, to go on after a cut result. */
  offset?: number;
};

export type GrepResult = {
  /** The directory or file searched, from the root. */
  path: string;
  /** The pattern. */
  pattern: string;
  /** The matching lines, and those around them. */
  matches?: Array<{
    /** The file, from the root. */
    path: string;
    /** The number of the (first) line, from 1. */
    line_number: number;
    /** The line, cut around the match where it is long; for a match over several lines, all. */
    text: string;
    /** Whether the line only surrounds a match. */
    context?: boolean;
  }>;
  /** The files that match. */
  files?: Array<string>;
  /** The number of matching lines of each file that has any. */
  counts?: Array<{
    /** The file, from the root. */
    path: string;
    /** The number of its matching lines. */
    count: number;
  }>;
  /** How many results there are in all, where that is known. */
  total?: number;
  /** Whether there are more results than these. */
  truncated: boolean;
  /** The offset to go on with. */
  next_offset?: number;
  /** How many files were searched. */
  files_searched: number;
  /** How many binary files were passed over. */
  binary_skipped: number;
  /** How many entries could not be read. */
  unreadable: number;
};

export type ListParams = {
  /** The directory, relative to the workspace's root; the root itself if absent. */
  path?: string;
  /** Lists everything below it, not only its own entries. */
  recursive?: boolean;
  /** How many levels a recursive listing goes down; 1 is the directory's own entries. */
  depth?: number;
  /** Lists names that begin with a dot too. */
  include_hidden?: boolean;
  /** Lists what .gitignore and .ignore files name too. */
  include_ignored?: boolean;
  /** The most entries to list; 1,000 if absent. */
  limit?: number;
  /** How many entries to pass over, to go on after a cut listing. */
  offset?: number;
};

/** A listing in a payload. */
export type ListResult = {
  /** The directory, from the root. */
  path: string;
  /** The entries, by name. */
  entries: Array<{
    /** Where it is, from the root. */
    path: string;
    /** What it is: file, dir, symlink, fifo, socket or device. */
    kind: string;
    /** The size of a file. */
    size_bytes?: number;
    /** When its content last changed, in RFC 3339. */
    modified_at?: string;
    /** Its permission bits in octal, for example 0644. */
    mode?: string;
  }>;
  /** How many entries there are in all, where that is known. */
  total?: number;
  /** How many hidden or ignored entries of the directory are left out. */
  left_out?: number;
  /** Whether there are more entries than these. */
  truncated: boolean;
  /** The offset to go on with. */
  next_offset?: number;
};

export type MoveParams = {
  /** What to move, relative to the workspace's root. */
  from: string;
  /** Its new path, name included. */
  to: string;
  /** Replaces a file (or an empty directory) at the destination. */
  overwrite?: boolean;
  /** Makes missing parents of the destination; true unless said otherwise. */
  create_dirs?: boolean;
};

export type MoveResult = {
  /** Where it was, from the root. */
  from: string;
  /** Where it is. */
  to: string;
  /** What it is: file, dir, symlink, fifo, socket or device. */
  kind: string;
  /** Whether something at the destination was replaced. */
  overwritten: boolean;
};

export type DeleteParams = {
  /** What to delete, relative to the workspace's root. */
  path: string;
  /** Deletes a directory with everything in it; without it, it must be empty. */
  recursive?: boolean;
};

export type DeleteResult = {
  /** What was deleted, from the root. */
  path: string;
  /** What it was: file, dir, symlink, fifo, socket or device. */
  kind: string;
  /** How many entries are gone, itself included. */
  deleted: number;
};

export type MkdirParams = {
  /** The directory to make, relative to the workspace's root. */
  path: string;
  /** Makes missing parents too; true unless said otherwise. */
  parents?: boolean;
};

export type MkdirResult = {
  /** The directory, from the root. */
  path: string;
  /** Whether it is new. */
  created: boolean;
};

export type StatParams = {
  /** What to look at, relative to the workspace's root. */
  path: string;
};

/** An entry in a payload. */
export type StatResult = {
  /** Where it is, from the root. */
  path: string;
  /** What it is: file, dir, symlink, fifo, socket or device. */
  kind: string;
  /** The size of a file. */
  size_bytes?: number;
  /** When its content last changed, in RFC 3339. */
  modified_at?: string;
  /** Its permission bits in octal, for example 0644. */
  mode?: string;
  /** For a symbolic link, what it leads to; absent when that is nothing inside. */
  target?: {
    /** Where it is, from the root. */
    path: string;
    /** What it is: file, dir, symlink, fifo, socket or device. */
    kind: string;
    /** The size of a file. */
    size_bytes?: number;
    /** When its content last changed, in RFC 3339. */
    modified_at?: string;
    /** Its permission bits in octal, for example 0644. */
    mode?: string;
  };
};

export type DiffParams = {
  /** The old file, relative to the workspace's root. */
  from?: string;
  /** The new file. */
  to?: string;
  /** A file to compare with content, instead of from and to. */
  path?: string;
  /** The text to compare the file at path with, with line endings as write would write them. */
  content?: string;
  /** The encoding of the files where they are neither UTF-8 nor marked, such as latin1. */
  encoding?: string;
  /** The most lines of the diff to give; 2,000 if absent. */
  limit?: number;
};

export type DiffResult = {
  /** The old file, from the root. */
  from: string;
  /** The new file; absent for a given text. */
  to?: string;
  /** Whether there is no difference. */
  identical: boolean;
  /** Whether the two could not be compared by lines because they are no text. */
  binary: boolean;
  /** How many lines the new one has that the old one has not. */
  lines_added: number;
  /** How many lines the old one has that the new one has not. */
  lines_removed: number;
  /** The difference as a unified diff. */
  diff: string;
  /** Whether lines of the diff were left out. */
  diff_truncated: boolean;
  /** The names of secrets that are shown as placeholders. */
  redacted?: Array<string>;
};

export type BashParams = {
  /** What bash runs: one command or many, on one line or several. */
  command: string;
  /** The directory to run it in, relative to the workspace's root; the root without one. */
  workdir?: string;
  /** How long it may run, in milliseconds: 120,000 unless said otherwise, 3,600,000 at most, which is also what a command in the background gets. */
  timeout_ms?: number;
  /** Variables for its environment, by their names. */
  env?: Record<string, string>;
  /** What it reads from standard input, and then the end; nothing without it. */
  stdin?: string;
  /** Starts it and does not wait: the reply is its id, for output, input and kill. */
  background?: boolean;
};

/** What came of a command, for programs. */
export type BashResult = {
  /** The id of the process, by which output finds everything that it printed, for an hour. */
  id: string;
  /** What it printed; of much, the beginning and the end. */
  stdout?: string;
  /** What it printed as errors; of much, the beginning and the end. */
  stderr?: string;
  /** Its exit code; 128 and the signal for one that ended by a signal. */
  exit_code?: number;
  /** The signal that it ended by. */
  signal?: string;
  /** How long it ran. */
  duration_ms?: number;
  /** Whether something of what it printed is left out. */
  truncated?: boolean;
  /** How many bytes it printed. */
  stdout_bytes?: number;
  /** How many bytes it printed as errors. */
  stderr_bytes?: number;
};

export type OutputParams = {
  /** The process, such as p7: the id in the reply of bash. */
  id: string;
  /** The position to read from, in bytes: 0, the beginning, or what a reply named as next. */
  position?: number;
  /** Reads so many bytes at the end instead. */
  tail?: number;
  /** How long to wait while there is nothing new, in milliseconds: 1,000 unless said otherwise, 60,000 at most. A line that is not finished comes when the wait is over. */
  wait_ms?: number;
  /** The most bytes: 51,200 unless said otherwise, 524,288 at most. */
  limit?: number;
  /** Shows one stream only. */
  stream?: "stdout" | "stderr";
};

export type OutputResult = {
  /** The process. */
  id: string;
  /** What it printed. */
  output: string;
  /** The position of the first byte given. */
  position: number;
  /** The position to read on from. */
  next: number;
  /** How many bytes it printed so far. */
  total_bytes: number;
  /** How many bytes before these were asked for and are no longer kept. */
  missing_bytes?: number;
  /** Whether it still runs. */
  running: boolean;
  /** Its exit code, if it has ended. */
  exit_code?: number;
  /** The signal that it ended by. */
  signal?: string;
  /** How long it ran, if it has ended. */
  duration_ms?: number;
};

export type InputParams = {
  /** The process, such as p7: the id in the reply of bash. */
  id: string;
  /** What to write, exactly as it is. */
  text?: string;
  /** Closes the input, after the text: the process reads its end. */
  close?: boolean;
};

export type InputResult = {
  /** The process. */
  id: string;
  /** How many bytes are on their way. */
  bytes: number;
  /** Whether its input is closed. */
  closed: boolean;
};

export type KillParams = {
  /** The process, such as p7: the id in the reply of bash. */
  id: string;
  /** A signal to send instead, by name or number, such as INT, HUP or USR1. */
  signal?: string;
};

export type KillResult = {
  /** The process. */
  id: string;
  /** The signal that was sent. */
  sent?: string;
  /** The exit code of one that has ended. */
  exit_code?: number;
  /** The signal that it ended by. */
  signal?: string;
};

export type PsParams = {
  /** Leaves out those that have ended. */
  running_only?: boolean;
  /** How many are passed over. */
  offset?: number;
  /** How many to list; 1,000 unless said otherwise. */
  limit?: number;
};

export type PsResult = {
  /** The processes. */
  processes: Array<{
    /** Its id. */
    id: string;
    /** What it runs, shortened. */
    command: string;
    /** Whether it still runs. */
    running: boolean;
    /** Whether it was started in the background. */
    background: boolean;
    /** How long ago it was started. */
    age_ms: number;
    /** How many bytes it printed. */
    printed_bytes: number;
    /** Its exit code, if it has ended. */
    exit_code?: number;
    /** The signal that it ended by. */
    signal?: string;
  }>;
  /** How many there are. */
  total: number;
  /** Whether there are more. */
  truncated: boolean;
  /** The offset to list on with. */
  next_offset?: number;
};

export type GitParams = {
  /** What to do. status: Branch, and which files are staged, changed, untracked, in conflict. diff: Changes that are staged and those that are not, or against a commit. commit: Stages files and commits them. checkout: Another branch, made if it is not there, or a commit. branch: Lists branches, makes or deletes one. log: Commits, newest first. show: One commit and its changes. restore: Files as they were. stash: Puts changes aside and brings them back. init: A new repository. push: Sends a branch to the remote. pull: Fetches, then moves the branch on. fetch: Brings what the remote has. clone: The remote's repository into a directory. */
  action: "status" | "diff" | "commit" | "checkout" | "branch" | "log" | "show" | "restore" | "stash" | "init" | "push" | "pull" | "fetch" | "clone";
  /** The repository's directory, or one in it, relative to the workspace's root; the root without it. For init and clone, where the repository is to be. */
  path?: string;
  /** Files, relative to the workspace's root, taken literally; a directory stands for all in it. For commit exactly what is committed, deleted files too; all that changed without. */
  files?: Array<string>;
  /** A branch. checkout makes it if it is not there, branch makes it or deletes it; push and pull take the one that is checked out without it. */
  branch?: string;
  /** A commit: an id, a branch, a tag, HEAD~2. What show shows, where log begins, what diff compares with, what checkout detaches at, what restore restores from. */
  ref?: string;
  /** diff: the commit to compare ref with, instead of the files. */
  to?: string;
  /** The commit at which checkout or branch makes a new branch; HEAD without it. */
  start?: string;
  /** diff: true for what is staged alone, false for what is not. restore: true to unstage. */
  staged?: boolean;
  /** How many lines around each change a diff shows; 3 unless said otherwise. */
  context?: number;
  /** The commit's message, or what a stash is for. */
  message?: string;
  /** Who else had a part in the commit: Name <address>. */
  co_author?: string;
  /** Lets the repository's hooks run, in the sandbox. */
  hooks?: boolean;
  /** log: commits no older than this, such as 2026-01-31 or 2 weeks ago. */
  since?: string;
  /** log: commits no younger than this. */
  until?: string;
  /** log: commits by an author whose name or address holds this. */
  author?: string;
  /** branch: lists those known of the remote too. */
  all?: boolean;
  /** branch: deletes the branch. */
  delete?: boolean;
  /** branch: deletes it also where commits are lost. */
  force?: boolean;
  /** stash: what to do, push without it. push: Puts changes aside. list: Lists what is put aside. apply: Brings it back and keeps it. pop: Brings it back. drop: Forgets it. */
  operation?: "push" | "list" | "apply" | "pop" | "drop";
  /** stash: which one, 0 is the newest. */
  index?: number;
  /** stash: takes files that git does not know too. */
  include_untracked?: boolean;
  /** pull: makes a merge where both sides have moved on. */
  merge?: boolean;
  /** How many lines of a diff, or entries of a list, are passed over. */
  offset?: number;
  /** How many of them to show. */
  limit?: number;
  /** How long git may take, in milliseconds: 120,000 unless said otherwise, 3,600,000 at most. */
  timeout_ms?: number;
};

export type GitResult = {
  /** What was done. status: Branch, and which files are staged, changed, untracked, in conflict. diff: Changes that are staged and those that are not, or against a commit. commit: Stages files and commits them. checkout: Another branch, made if it is not there, or a commit. branch: Lists branches, makes or deletes one. log: Commits, newest first. show: One commit and its changes. restore: Files as they were. stash: Puts changes aside and brings them back. init: A new repository. push: Sends a branch to the remote. pull: Fetches, then moves the branch on. fetch: Brings what the remote has. clone: The remote's repository into a directory. */
  action: "status" | "diff" | "commit" | "checkout" | "branch" | "log" | "show" | "restore" | "stash" | "init" | "push" | "pull" | "fetch" | "clone";
  /** The repository's directory. */
  repository: string;
  /** The branch that is checked out, made, deleted, sent or brought. */
  branch?: string;
  /** The id of the commit that is checked out, or that was made or shown. */
  commit?: string;
  /** Whether no branch is checked out. */
  detached?: boolean;
  /** What the branch follows. */
  upstream?: string;
  /** How many commits the branch has that the other lacks. */
  ahead?: number;
  /** How many commits the other has that the branch lacks. */
  behind?: number;
  /** Whether nothing is staged, changed, untracked or in conflict. */
  clean?: boolean;
  /** Files whose changes the next commit would have. */
  staged?: Array<{
    /** Where it is. */
    path: string;
    /** How it differs: added, modified, deleted, renamed, copied, type_changed, untracked, or what both sides of a conflict did, such as both_modified. */
    kind: string;
    /** Where it was, for one that was renamed or copied. */
    from?: string;
    /** How many lines were added. */
    additions?: number;
    /** How many lines were removed. */
    deletions?: number;
    /** Whether it is something else than text. */
    binary?: boolean;
    /** Whether it is a submodule. */
    submodule?: boolean;
  }>;
  /** Files whose changes it would not have. */
  changed?: Array<{
    /** Where it is. */
    path: string;
    /** How it differs: added, modified, deleted, renamed, copied, type_changed, untracked, or what both sides of a conflict did, such as both_modified. */
    kind: string;
    /** Where it was, for one that was renamed or copied. */
    from?: string;
    /** How many lines were added. */
    additions?: number;
    /** How many lines were removed. */
    deletions?: number;
    /** Whether it is something else than text. */
    binary?: boolean;
    /** Whether it is a submodule. */
    submodule?: boolean;
  }>;
  /** Files in conflict. */
  conflicted?: Array<{
    /** Where it is. */
    path: string;
    /** How it differs: added, modified, deleted, renamed, copied, type_changed, untracked, or what both sides of a conflict did, such as both_modified. */
    kind: string;
    /** Where it was, for one that was renamed or copied. */
    from?: string;
    /** How many lines were added. */
    additions?: number;
    /** How many lines were removed. */
    deletions?: number;
    /** Whether it is something else than text. */
    binary?: boolean;
    /** Whether it is a submodule. */
    submodule?: boolean;
  }>;
  /** Files that git does not know; a directory ends with a slash. */
  untracked?: Array<{
    /** Where it is. */
    path: string;
    /** How it differs: added, modified, deleted, renamed, copied, type_changed, untracked, or what both sides of a conflict did, such as both_modified. */
    kind: string;
    /** Where it was, for one that was renamed or copied. */
    from?: string;
    /** How many lines were added. */
    additions?: number;
    /** How many lines were removed. */
    deletions?: number;
    /** Whether it is something else than text. */
    binary?: boolean;
    /** Whether it is a submodule. */
    submodule?: boolean;
  }>;
  /** Files that a commit changed, or that differ between two. */
  files?: Array<{
    /** Where it is. */
    path: string;
    /** How it differs: added, modified, deleted, renamed, copied, type_changed, untracked, or what both sides of a conflict did, such as both_modified. */
    kind: string;
    /** Where it was, for one that was renamed or copied. */
    from?: string;
    /** How many lines were added. */
    additions?: number;
    /** How many lines were removed. */
    deletions?: number;
    /** Whether it is something else than text. */
    binary?: boolean;
    /** Whether it is a submodule. */
    submodule?: boolean;
  }>;
  /** The changes as a unified diff. */
  diff?: string;
  /** The names of the rules whose placeholders stand in it. */
  redacted?: Array<string>;
  /** Commits, newest first. */
  commits?: Array<{
    /** Its id. */
    id: string;
    /** The ids of those before it. */
    parents: Array<string>;
    /** Who wrote it. */
    author: string;
    /** The author's address. */
    email: string;
    /** When it was written. */
    date: string;
    /** Who committed it. */
    committer: string;
    /** The first line of its message. */
    subject: string;
    /** The rest of its message. */
    body: string;
  }>;
  /** Branches. */
  branches?: Array<{
    /** Its name. */
    name: string;
    /** Whether it is one of the remote's. */
    remote?: boolean;
    /** Whether it is checked out. */
    current?: boolean;
    /** The id of its last commit. */
    commit: string;
    /** When that was made. */
    date: string;
    /** The first line of that commit's message. */
    subject: string;
    /** What it follows. */
    upstream?: string;
    /** How many commits it has that the other lacks. */
    ahead?: number;
    /** How many the other has. */
    behind?: number;
  }>;
  /** What is put aside. */
  stashes?: Array<{
    /** Which one: 0 is the newest. */
    index: number;
    /** The id of the commit that holds them. */
    commit: string;
    /** When they were put aside. */
    date: string;
    /** What is said of them. */
    message: string;
  }>;
  /** Refs that are not where they were. */
  refs?: Array<{
    /** Its full name. */
    name: string;
    /** Where it was. */
    before?: string;
    /** Where it is. */
    now?: string;
  }>;
  /** The remote's address. */
  remote?: string;
  /** Whether a branch was made. */
  created?: boolean;
  /** How many lines or entries there are, where that is known. */
  total?: number;
  /** Whether there is more. */
  truncated: boolean;
  /** The offset to go on with. */
  next_offset?: number;
};

export type WorktreeListParams = {
  /** The agent whose workspace is meant. */
  agentId: string;
  /** The directory, from the root; the root itself (/) if absent. */
  path?: string;
  /** Lists everything below it, not only its own entries; false if absent. */
  recursive?: boolean;
  /** Lists names that begin with a dot too; false if absent. */
  includeHidden?: boolean;
  /** The most entries to give; 10,000 if absent, and at most. */
  limit?: number;
  /** Goes on where an earlier reply ended: what it gave as nextCursor. */
  cursor?: string;
};

export type WorktreeListResult = {
  /** The directory, from the root. */
  path: string;
  /** The entries, by name; below each directory, what is in it. */
  entries: Array<{
    /** Where it is, from the root. */
    path: string;
    /** Its name. */
    name: string;
    /** Whether it is a directory, or for a link whether it leads to one. */
    kind: "file" | "dir";
    /** What it is, where it is neither file nor directory: symlink, fifo, socket or device. */
    type?: string;
    /** The size of a file. */
    sizeBytes?: number;
    /** When its content last changed, in ISO 8601. */
    modifiedAt?: string;
    /** Its permissions, for example rw-r--r--. */
    permissions?: string;
  }>;
  /** How many entries there are in all, where that is known. */
  total?: number;
  /** Whether there are more entries than these. */
  truncated: boolean;
  /** What to send as cursor to go on. */
  nextCursor?: string;
};

export type WorktreeStatParams = {
  /** The agent whose workspace is meant. */
  agentId: string;
  /** What to look at, from the root. */
  path: string;
};

/** An entry in a payload. */
export type WorktreeStatResult = {
  /** Where it is, from the root. */
  path: string;
  /** Its name. */
  name: string;
  /** Whether it is a directory, or for a link whether it leads to one. */
  kind: "file" | "dir";
  /** What it is, where it is neither file nor directory: symlink, fifo, socket or device. */
  type?: string;
  /** The size of a file. */
  sizeBytes?: number;
  /** When its content last changed, in ISO 8601. */
  modifiedAt?: string;
  /** Its permissions, for example rw-r--r--. */
  permissions?: string;
};

export type WorktreeUsageParams = {
  /** The agent whose workspace is meant. */
  agentId: string;
  /** A file, or a directory with everything below it; the root itself (/) if absent. */
  path?: string;
};

export type WorktreeUsageResult = {
  /** What was counted, from the root. */
  path: string;
  /** How many files there are; links and what is neither file nor directory count here. */
  files: number;
  /** How many directories there are below it. */
  directories: number;
  /** The sizes of the files, together. */
  sizeBytes: number;
  /** Whether there are more than were counted, which is a million entries at most. */
  truncated: boolean;
};

export type WorktreeReadParams = {
  /** The agent whose workspace is meant. */
  agentId: string;
  /** The file, from the root. */
  path: string;
  /** utf8 (the default) for text, base64 for bytes, or the name of the file's text encoding, such as latin1, where it is neither UTF-8 nor marked. */
  encoding?: string;
  /** The most bytes to read; 10 MB if absent. A longer text is cut, longer bytes are FILE_TOO_LARGE. */
  maxBytes?: number;
  /** Whether secrets are shown as placeholders; true if absent, and false for operators only. */
  redact?: boolean;
  /** The first byte to read, counted from 0. */
  offset?: number;
  /** How many bytes to read from there; the rest of the file if absent. */
  length?: number;
};

export type WorktreeReadResult = {
  /** The file, from the root. */
  path: string;
  /** The text, or the bytes in base64. */
  content: string;
  /** How content is written: utf8 or base64. */
  encoding: string;
  /** The encoding of a text file that is not in UTF-8. */
  fileEncoding?: string;
  /** The size of the whole file. */
  sizeBytes: number;
  /** When it last changed, in ISO 8601. */
  modifiedAt?: string;
  /** Whether less is given than was asked for, because of maxBytes. */
  truncated: boolean;
  /** Whether placeholders stand for secrets. */
  redacted: boolean;
  /** The names of these secrets. */
  secrets?: Array<string>;
  /** Where in the file the content begins, for a part of it. */
  offset?: number;
  /** The offset to read on with, where bytes follow. */
  nextOffset?: number;
  /** The version of the file, to send back as expectedVersion; of a part it may be unknown. */
  version?: string;
};

export type WorktreeWriteParams = {
  /** The agent whose workspace is meant. */
  agentId: string;
  /** The file, from the root. */
  path: string;
  /** The whole new content. */
  content: string;
  /** utf8 (the default) for text, base64 for bytes, or the name of the text encoding to write in, such as latin1. */
  encoding?: string;
  /** Whether missing directories are made; true if absent. */
  createDirs?: boolean;
  /** Whether a file that exists is replaced; true if absent. */
  overwrite?: boolean;
  /** The version that a read returned; any other is a CONFLICT. */
  expectedVersion?: string;
};

export type WorktreeWriteResult = {
  /** The file, from the root. */
  path: string;
  /** Its size in bytes. */
  sizeBytes: number;
  /** When it was written, in ISO 8601. */
  modifiedAt?: string;
  /** Whether it is new. */
  created: boolean;
  /** Its version now. */
  version: string;
};

export type WorktreeEditParams = {
  /** The agent whose workspace is meant. */
  agentId: string;
  /** The file, from the root. */
  path: string;
  /** The edits, applied in order, all or none. */
  edits: Array<{
    /** The text to replace, as the edits before this one left it; of a file that does not exist, nothing. */
    oldText: string;
    /** The text to put in its place. */
    newText: string;
    /** Replaces every place where oldText stands; false if absent. */
    replaceAll?: boolean;
  }>;
  /** How near a match must be. exact: Byte for byte. forgiving: Also where line endings, typography or white space differ; this is the default. */
  match?: "exact" | "forgiving";
  /** The encoding of the file where it is neither UTF-8 nor marked, such as latin1. */
  encoding?: string;
  /** The version that a read returned; any other is a CONFLICT. */
  expectedVersion?: string;
  /** Says what the edits would do, and writes nothing; false if absent. */
  dryRun?: boolean;
};

export type WorktreeEditResult = {
  /** The file, from the root. */
  path: string;
  /** Whether the file is new. */
  created: boolean;
  /** Whether nothing was written because only a dry run was asked for. */
  dryRun: boolean;
  /** How many places were replaced. */
  replacements: number;
  /** What each edit did. */
  edits: Array<{
    /** How many places it replaced. */
    replacements: number;
    /** The lines where the first of them stood, before this edit. */
    lines: Array<number>;
    /** What was forgiven, if the match was not exact. */
    forgiven?: string;
  }>;
  /** How many lines were added. */
  linesAdded: number;
  /** How many lines were removed. */
  linesRemoved: number;
  /** What changed, as a unified diff. */
  diff: string;
  /** Whether lines of the diff were left out. */
  truncated: boolean;
  /** Whether placeholders stand for secrets in the diff. */
  redacted: boolean;
  /** The names of these secrets. */
  secrets?: Array<string>;
  /** The size of the file in bytes; after a dry run, as it would be. */
  sizeBytes: number;
  /** When it was written, in ISO 8601. */
  modifiedAt?: string;
  /** The version of the file now; after a dry run, as it is. */
  version?: string;
};

export type WorktreeMkdirParams = {
  /** The agent whose workspace is meant. */
  agentId: string;
  /** The directory to make, from the root. */
  path: string;
  /** Whether missing parents are made too; true if absent. */
  recursive?: boolean;
};

export type WorktreeMkdirResult = {
  /** The directory, from the root. */
  path: string;
  /** Whether it is new. */
  created: boolean;
};

export type WorktreeMoveParams = {
  /** The agent whose workspace is meant. */
  agentId: string;
  /** What to move, from the root. */
  fromPath: string;
  /** Its new path, name included. */
  toPath: string;
  /** Replaces a file, or an empty directory, at the destination; false if absent. */
  overwrite?: boolean;
  /** Whether missing directories of the destination are made; true if absent. */
  createDirs?: boolean;
};

export type WorktreeMoveResult = {
  /** Where it was, from the root. */
  fromPath: string;
  /** Where it is. */
  toPath: string;
  /** Whether it is a directory. */
  kind: "file" | "dir";
  /** What it is, where it is neither file nor directory: symlink, fifo, socket or device. */
  type?: string;
  /** Whether something at the destination was replaced. */
  overwritten: boolean;
};

export type WorktreeDeleteParams = {
  /** The agent whose workspace is meant. */
  agentId: string;
  /** What to delete, from the root. */
  path: string;
  /** Deletes a directory with everything in it; false if absent, and then it must be empty. */
  recursive?: boolean;
};

export type WorktreeDeleteResult = {
  /** What was deleted, from the root. */
  path: string;
  /** Whether it was a directory. */
  kind: "file" | "dir";
  /** What it was, where it was neither file nor directory: symlink, fifo, socket or device. */
  type?: string;
  /** For a directory, how many entries are gone, itself included. */
  itemsDeleted?: number;
};

export type WorktreeSearchParams = {
  /** The agent whose workspace is meant. */
  agentId: string;
  /** The text to find. */
  query: string;
  /** Searches only files that match this glob; *.ts matches at any depth. */
  glob?: string;
  /** Whether upper and lower case differ; false if absent. */
  caseSensitive?: boolean;
  /** Takes query as a regular expression (Rust's regex syntax); false if absent. */
  regex?: boolean;
  /** The directory or file to search, from the root; the root itself (/) if absent. */
  path?: string;
  /** How many lines before and after each match to give; 0 if absent. */
  contextLines?: number;
  /** Searches files whose names begin with a dot too; false if absent. */
  includeHidden?: boolean;
  /** Searches what .gitignore and .ignore files name too; false if absent. */
  includeIgnored?: boolean;
  /** The most matches to give; 1,000 if absent. */
  limit?: number;
  /** Goes on where an earlier reply ended: what it gave as nextCursor. */
  cursor?: string;
};

export type WorktreeSearchResult = {
  /** The directory or file that was searched, from the root. */
  path: string;
  /** The lines that match, by path and line. */
  matches: Array<{
    /** The file, from the root. */
    path: string;
    /** The number of the line, from 1. */
    line: number;
    /** The character of the line in the file at which the first match begins, from 1. */
    column: number;
    /** The line, cut around the match where it is long, secrets as placeholders. */
    text: string;
    /** The lines before it, where they were asked for. */
    before?: Array<string>;
    /** The lines after it. */
    after?: Array<string>;
  }>;
  /** How many lines match in all, where that is known. */
  total?: number;
  /** Whether there are more matches than these. */
  truncated: boolean;
  /** What to send as cursor to go on. */
  nextCursor?: string;
  /** How many files were searched. */
  filesSearched: number;
  /** How many binary files were passed over. */
  binarySkipped: number;
  /** How many entries could not be read. */
  unreadable: number;
};

export type WorktreeDiffParams = {
  /** The agent whose workspace is meant. */
  agentId: string;
  /** The old file, from the root. */
  fromPath?: string;
  /** The new file. */
  toPath?: string;
  /** A file to compare with content or with what it held before, instead of fromPath and toPath. */
  path?: string;
  /** The text to compare the file at path with. */
  content?: string;
  /** The version of the file at path to compare it with, as a read or a write returned it. Texts of up to 1 MB that were read or written whole are kept for a while. */
  version?: string;
  /** How the difference is given. unified: As one text, a unified diff; this is the default. json: As a list of hunks. */
  format?: "unified" | "json";
};

export type WorktreeDiffResult = {
  /** The old file, from the root. */
  fromPath: string;
  /** The new file; absent for a given text. */
  toPath?: string;
  /** The version of the old file, where one was asked for. */
  fromVersion?: string;
  /** How the difference is given. unified: As one text, a unified diff; this is the default. json: As a list of hunks. */
  format: "unified" | "json";
  /** Whether there is no difference. */
  identical: boolean;
  /** Whether the two could not be compared by lines because they are no text. */
  binary: boolean;
  /** How many lines the new one has that the old one has not. */
  linesAdded: number;
  /** How many lines the old one has that the new one has not. */
  linesRemoved: number;
  /** The difference as a unified diff. */
  diff?: string;
  /** The difference as hunks. */
  hunks?: Array<{
    /** The number of its first line in the old text, from 1. */
    oldStart: number;
    /** How many lines of the old text it covers. */
    oldLines: number;
    /** The number of its first line in the new text, from 1. */
    newStart: number;
    /** How many lines of the new text it covers. */
    newLines: number;
    /** The lines, in reading order. */
    lines: Array<{
      /** In which text it stands: context in both, removed in the old, added in the new. */
      kind: string;
      /** The line, without its line feed, secrets as placeholders. */
      text: string;
      /** Whether the text ends here without a line feed. */
      noNewline?: boolean;
    }>;
  }>;
  /** Whether lines of the difference were left out. */
  truncated: boolean;
  /** Whether placeholders stand for secrets. */
  redacted: boolean;
  /** The names of these secrets. */
  secrets?: Array<string>;
};

export type AgentsListParams = {
  /** What an earlier answer gave as nextCursor. */
  cursor?: string;
  limit?: number;
};

export type AgentsListResult = {
  agents: Array<Agent>;
  nextCursor?: string;
};

export type AgentsGetParams = {
  agentId: AgentId;
};

export type AgentsGetResult = {
  id: AgentId;
  state: "active" | "stopped";
  settings: Settings;
  epoch?: number;
  seq?: number;
  /** Milliseconds since 1970. */
  createdMs: number;
  /** Milliseconds since 1970. */
  updatedMs: number;
};

export type AgentsCreateParams = {
  agentId: AgentId;
  settings?: Settings;
};

export type AgentsCreateResult = {
  id: AgentId;
  state: "active" | "stopped";
  settings: Settings;
  epoch?: number;
  seq?: number;
  /** Milliseconds since 1970. */
  createdMs: number;
  /** Milliseconds since 1970. */
  updatedMs: number;
};

export type AgentsUpdateParams = {
  agentId: AgentId;
  settings?: Settings;
};

export type AgentsUpdateResult = {
  id: AgentId;
  state: "active" | "stopped";
  settings: Settings;
  epoch?: number;
  seq?: number;
  /** Milliseconds since 1970. */
  createdMs: number;
  /** Milliseconds since 1970. */
  updatedMs: number;
};

export type AgentsStopParams = {
  agentId: AgentId;
};

export type AgentsStopResult = {
  id: AgentId;
  state: "active" | "stopped";
  settings: Settings;
  epoch?: number;
  seq?: number;
  /** Milliseconds since 1970. */
  createdMs: number;
  /** Milliseconds since 1970. */
  updatedMs: number;
};

export type AgentsStartParams = {
  agentId: AgentId;
};

export type AgentsStartResult = {
  id: AgentId;
  state: "active" | "stopped";
  settings: Settings;
  epoch?: number;
  seq?: number;
  /** Milliseconds since 1970. */
  createdMs: number;
  /** Milliseconds since 1970. */
  updatedMs: number;
};

export type AgentsDeleteParams = {
  agentId: AgentId;
};

export type AgentsDeleteResult = {
  deleted: true;
};

export type TokensCreateParams = {
  role: "operator" | "agent" | "user";
  agentId?: AgentId;
  label?: string;
  /** For how long it is good; for ever if absent. */
  ttlMs?: number;
};

export type TokensCreateResult = {
  id: string;
  role: "operator" | "agent" | "user";
  agent?: (AgentId | null);
  kind?: string;
  label: string;
  createdMs: number;
  expiresMs?: number | null;
  revokedMs?: number | null;
  /** Shown here and never again. */
  token: string;
};

export type TokensListParams = {
  /** What an earlier answer gave as nextCursor. */
  cursor?: string;
  limit?: number;
};

export type TokensListResult = {
  tokens: Array<Token>;
  nextCursor?: string;
};

export type TokensRevokeParams = {
  id: string;
};

export type TokensRevokeResult = {
  id: string;
  revoked: true;
};

export type AuditListParams = {
  workspace?: string;
  caller?: string;
  session?: string;
  operation?: string;
  outcome?: string;
  sinceMs?: number;
  untilMs?: number;
  /** What an earlier answer gave as next. */
  before?: number;
  limit?: number;
};

export type AuditListResult = {
  records: Array<AuditRecord>;
  next: number | null;
};

export type ApprovalsListParams = Record<string, never>;

export type ApprovalsListResult = {
  approvals: Array<Approval>;
};

export type ApprovalsAnswerParams = {
  id: string;
  decision: "allow" | "deny";
};

export type ApprovalsAnswerResult = {
  id: string;
  decision: "allow" | "deny";
};

export type WorktreeDownloadParams = {
  agentId: AgentId;
  path: string;
  offset?: number;
  /** 4 MiB if absent, 16 MiB at most. */
  length?: number;
  /** false shows secrets, to operators only. */
  redact?: boolean;
  /** What an earlier chunk gave; CONFLICT when the file is another by now. */
  state?: string;
};

export type WorktreeDownloadResult = {
  path: string;
  /** The bytes in base64. */
  content: string;
  sizeBytes: number;
  state: string;
  /** Where to go on; absent at the end. */
  nextOffset?: number;
};

export interface Tools {
  /** Read a file. */
  "read": { params: ReadParams; result: ReadResult };
  /** Write a file. */
  "write": { params: WriteParams; result: WriteResult };
  /** Edit a file. */
  "edit": { params: EditParams; result: EditResult };
  /** Apply a patch. */
  "apply_patch": { params: ApplyPatchParams; result: ApplyPatchResult };
  /** Find files by name. */
  "glob": { params: GlobParams; result: GlobResult };
  /** Search in files. */
  "grep": { params: GrepParams; result: GrepResult };
  /** List a directory. */
  "list": { params: ListParams; result: ListResult };
  /** Move or rename. */
  "move": { params: MoveParams; result: MoveResult };
  /** Delete. */
  "delete": { params: DeleteParams; result: DeleteResult };
  /** Make a directory. */
  "mkdir": { params: MkdirParams; result: MkdirResult };
  /** Look at one entry. */
  "stat": { params: StatParams; result: StatResult };
  /** Compare. */
  "diff": { params: DiffParams; result: DiffResult };
  /** Run a command. */
  "bash": { params: BashParams; result: BashResult };
  /** Read what a process prints. */
  "output": { params: OutputParams; result: OutputResult };
  /** Write to a process. */
  "input": { params: InputParams; result: InputResult };
  /** End a process. */
  "kill": { params: KillParams; result: KillResult };
  /** List processes. */
  "ps": { params: PsParams; result: PsResult };
  /** Work with a repository. */
  "git": { params: GitParams; result: GitResult };
}

export interface Methods {
  /** List a directory. */
  "worktree.list": { params: WorktreeListParams; result: WorktreeListResult };
  /** Look at one entry. */
  "worktree.stat": { params: WorktreeStatParams; result: WorktreeStatResult };
  /** Count what is there. */
  "worktree.usage": { params: WorktreeUsageParams; result: WorktreeUsageResult };
  /** Read a file. */
  "worktree.read": { params: WorktreeReadParams; result: WorktreeReadResult };
  /** Write a file. */
  "worktree.write": { params: WorktreeWriteParams; result: WorktreeWriteResult };
  /** Edit a file. */
  "worktree.edit": { params: WorktreeEditParams; result: WorktreeEditResult };
  /** Make a directory. */
  "worktree.mkdir": { params: WorktreeMkdirParams; result: WorktreeMkdirResult };
  /** Move or rename. */
  "worktree.move": { params: WorktreeMoveParams; result: WorktreeMoveResult };
  /** Delete. */
  "worktree.delete": { params: WorktreeDeleteParams; result: WorktreeDeleteResult };
  /** Search in files. */
  "worktree.search": { params: WorktreeSearchParams; result: WorktreeSearchResult };
  /** Compare. */
  "worktree.diff": { params: WorktreeDiffParams; result: WorktreeDiffResult };
  /** List agents. */
  "agents.list": { params: AgentsListParams; result: AgentsListResult };
  /** Look at an agent. */
  "agents.get": { params: AgentsGetParams; result: AgentsGetResult };
  /** Make an agent. */
  "agents.create": { params: AgentsCreateParams; result: AgentsCreateResult };
  /** Change what is set up. */
  "agents.update": { params: AgentsUpdateParams; result: AgentsUpdateResult };
  /** Stop an agent. */
  "agents.stop": { params: AgentsStopParams; result: AgentsStopResult };
  /** Start an agent. */
  "agents.start": { params: AgentsStartParams; result: AgentsStartResult };
  /** Forget an agent. */
  "agents.delete": { params: AgentsDeleteParams; result: AgentsDeleteResult };
  /** Give out a token. */
  "tokens.create": { params: TokensCreateParams; result: TokensCreateResult };
  /** List tokens. */
  "tokens.list": { params: TokensListParams; result: TokensListResult };
  /** Take a token back. */
  "tokens.revoke": { params: TokensRevokeParams; result: TokensRevokeResult };
  /** Look at the audit. */
  "audit.list": { params: AuditListParams; result: AuditListResult };
  /** List what waits for approval. */
  "approvals.list": { params: ApprovalsListParams; result: ApprovalsListResult };
  /** Allow or deny. */
  "approvals.answer": { params: ApprovalsAnswerParams; result: ApprovalsAnswerResult };
  /** Read a large file in chunks. */
  "worktree.download": { params: WorktreeDownloadParams; result: WorktreeDownloadResult };
}
