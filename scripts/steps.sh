# Sourced by the other scripts: runs one named step after the other and says how long each took.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# A machine where cargo was only just installed has it here and not yet on PATH.
PATH="$PWD/.cache/tools/bin:$PATH:${HOME:-/root}/.cargo/bin"
# What a test means to provoke would fill the screen with traces.
export RUST_BACKTRACE=0
started=$(date +%s)
mkdir -p .cache/logs

step() { # step NAME COMMAND…
  local name=$1 from
  shift
  from=$(date +%s)
  echo "== $name"
  if "$@"; then
    echo "-- $name: passed in $(($(date +%s) - from)) s"
  else
    echo "-- $name: FAILED after $(($(date +%s) - from)) s" >&2
    exit 1
  fi
}

finish() { # finish [WORDS]
  echo "== ${1:-all passed} in $(($(date +%s) - started)) s"
}

# Lets cargo compile by the compiler that also lints: what is tested is built once. A pass of lints of its own would
# compile every dependency twice.
build_with_lints() {
  RUSTC_WORKSPACE_WRAPPER=$(rustup which clippy-driver 2> /dev/null || command -v clippy-driver) ||
    { echo "clippy is not installed: rustup component add clippy" >&2; exit 1; }
  # As `cargo clippy -- -D warnings` tells its driver.
  CLIPPY_ARGS="-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"
  export RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS
}
