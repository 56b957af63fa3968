#!/bin/sh
# Puts the command line of this Parley server into ~/.local/bin (or $PARLEY_BIN). No root, no change to a shell's profile.
# A function, so that a download that was cut short runs nothing.
parley_install() {
  set -eu
  base='@@PARLEY_SERVER@@'
  bin=${PARLEY_BIN:-$HOME/.local/bin}
  fail() {
    printf 'parley: %s\nparley: %s\n' "$1" "$2" >&2
    exit 1
  }
  command -v curl >/dev/null 2>&1 || fail 'there is no curl' 'install it first'
  command -v node >/dev/null 2>&1 || fail 'there is no Node' 'install Node 20.19 or later: https://nodejs.org'
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
    fail "Node $(node --version) is too old" 'install Node 20.19 or later'
  mkdir -p "$bin" || fail "cannot write to $bin" 'name another folder: PARLEY_BIN=…'
  draft=$(mktemp "$bin/.parley.XXXXXX") || fail "cannot write to $bin" 'name another folder: PARLEY_BIN=…'
  trap 'rm -f "$draft"' EXIT
  curl -fsS "$base/cli.mjs" -o "$draft" || fail "cannot load $base/cli.mjs" 'is the server running?'
  wanted=$(curl -fsS "$base/cli.json" | node -e 'let t = ""; process.stdin.on("data", (d) => (t += d)).on("end", () => console.log(JSON.parse(t).sha256))')
  got=$(node -e 'console.log(require("crypto").createHash("sha256").update(require("fs").readFileSync(process.argv[1])).digest("hex"))' "$draft")
  [ "$wanted" = "$got" ] || fail 'the download is not what the server says it is' 'try again'
  chmod 755 "$draft"
  version=$("$draft" --version) || fail 'the download does not start' 'run it to see why: curl -fsS '"$base"'/cli.mjs | node - --version'
  mv -f "$draft" "$bin/parley"
  trap - EXIT
  name=parley
  case ":$PATH:" in *":$bin:"*) ;; *)
    name=$bin/parley
    printf 'parley: %s is not in your PATH; add it to call it by its name\n' "$bin" >&2
    ;;
  esac
  printf 'parley %s is in %s\nNext: %s status\n      %s agent register NAME\n' "$version" "$bin/parley" "$name" "$name"
}
parley_install
