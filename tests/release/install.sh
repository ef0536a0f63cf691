#!/bin/sh
# Installs pintle @VERSION@ for the current user:
#
#   curl -fsSL @DOWNLOADS@/install.sh | sh
#
# PINTLE_INSTALL_DIR   the folder for the program; by default ~/.local/bin
# PINTLE_DOWNLOADS     another place with the files of this release. Their checksums are part of this script.
#
# Nothing is changed but three folders: that of the program, and for completions and man pages those below ~/.local/share that shells and man
# search. To uninstall, remove what the script lists at its end.
set -eu

version=@VERSION@
downloads=${PINTLE_DOWNLOADS:-@DOWNLOADS@}

main() {
  system=$(system)
  archive=pintle-$version-$system.tar.gz
  wanted=$(checksum_of "$system")
  [ -n "${HOME:-}" ] || fail 'HOME is not set'
  programs=${PINTLE_INSTALL_DIR:-$HOME/.local/bin}
  shared=${XDG_DATA_HOME:-$HOME/.local/share}

  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  say "downloading $downloads/$archive"
  download "$downloads/$archive" "$work/$archive"
  found=$(checksum "$work/$archive")
  [ "$found" = "$wanted" ] || fail "the checksum of $archive is $found instead of $wanted: the download is damaged or not the release"
  tar -xzf "$work/$archive" -C "$work"
  unpacked=$work/pintle-$version-$system
  "$unpacked/pintle" --version >/dev/null || fail "the program does not run on this system; nothing was installed"

  place "$unpacked/pintle" "$programs/pintle" 755
  place "$unpacked/completions/pintle.bash" "$shared/bash-completion/completions/pintle" 644
  place "$unpacked/completions/_pintle" "$shared/zsh/site-functions/_pintle" 644
  place "$unpacked/completions/pintle.fish" "$shared/fish/vendor_completions.d/pintle.fish" 644
  for page in "$unpacked"/man/*.1; do
    place "$page" "$shared/man/man1/${page##*/}" 644
  done

  say "installed pintle $version:"
  say "  $programs/pintle"
  say "  $shared: bash-completion/completions/pintle, zsh/site-functions/_pintle, fish/vendor_completions.d/pintle.fish, man/man1/pintle*.1"
  case ":$PATH:" in
    *":$programs:"*) say 'next: pintle doctor' ;;
    *) say "next: add $programs to your PATH, then run: pintle doctor" ;;
  esac
}

# The system as in the names of the archives.
system() {
  machine=$(uname -m)
  case $(uname -s) in
    Linux) kind=unknown-linux-musl ;;
    Darwin)
      kind=apple-darwin
      # A shell that is translated for Intel on a processor of Apple.
      [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" != 1 ] || machine=arm64
      ;;
    MINGW* | MSYS* | CYGWIN*) fail 'on Windows, use install.ps1 in PowerShell' ;;
    *) fail "there is no program for $(uname -s); build from source" ;;
  esac
  case $machine in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "there is no program for the processor $machine; build from source" ;;
  esac
  echo "$machine-$kind"
}

# The checksum that the archive of a system must have.
checksum_of() {
  case $1 in
@CHECKSUMS@
    *) fail "this release has no program for $1; build from source" ;;
  esac
}

download() {
  if command -v curl >/dev/null; then
    curl --fail --location --silent --show-error --output "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q -O "$2" "$1"
  else
    fail 'neither curl nor wget is installed'
  fi || fail "cannot download $1"
}

checksum() {
  if command -v sha256sum >/dev/null; then
    sum=$(sha256sum "$1")
  elif command -v shasum >/dev/null; then
    sum=$(shasum -a 256 "$1")
  elif command -v openssl >/dev/null; then
    sum=$(openssl dgst -sha256 -r "$1")
  else
    fail 'neither sha256sum nor shasum nor openssl is installed, so the download cannot be verified'
  fi
  echo "${sum%% *}"
}

# Copies a file beside its place and renames it, so that a running program keeps its own file.
place() {
  folder=${2%/*}
  mkdir -p "$folder" || fail "cannot create $folder"
  cp "$1" "$folder/.pintle-new-$$" || fail "cannot write to $folder"
  chmod "$3" "$folder/.pintle-new-$$"
  mv -f "$folder/.pintle-new-$$" "$2"
}

say() {
  printf '%s\n' "$*" >&2
}

fail() {
  say "install.sh: $*"
  exit 1
}

# Called at the end, so that half a script does nothing.
main
