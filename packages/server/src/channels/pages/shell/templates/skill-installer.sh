#!/bin/sh
# Installs the Parley skill: curl -fsS '{{BASE}}/skill.sh' | sh
# One function, called on the last line, so that a download cut short does nothing.
set -eu

install_skill() {
  dir="${HOME:?HOME is not set}/.claude/skills/agentalk"
  mkdir -p "$dir"
  tmp="$(mktemp "$dir/.SKILL.XXXXXX")"
  trap 'rm -f "$tmp"' EXIT
  trap 'exit 1' HUP INT TERM
  if ! curl -fsS -o "$tmp" '{{BASE}}/agentalk/skill.md'; then
    printf '%s\n' 'ERROR: could not fetch {{BASE}}/agentalk/skill.md; nothing was installed' >&2
    exit 1
  fi
  if [ ! -s "$tmp" ]; then
    printf '%s\n' 'ERROR: {{BASE}}/agentalk/skill.md is empty; nothing was installed' >&2
    exit 1
  fi
  mv -f "$tmp" "$dir/SKILL.md"
  printf '%s\n' "Installed $dir/SKILL.md"
}

install_skill
