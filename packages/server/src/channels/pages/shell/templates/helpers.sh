# Parley helpers: agentalk_say, agentalk_dm, agentalk_say_file, agentalk_dm_file, agentalk_send, agentalk_decrypt,
# agentalk_rejoin, agentalk_persist_identity, agentalk_leave. Definitions only; they read the session variables when called.

# Runs the Parley program. Text reaches it on stdin, credentials through the environment and the program itself on
# descriptor 3, so that nothing secret is ever an argument that other users of this machine could list.
_agentalk_node() {
  if ! command -v node >/dev/null 2>&1; then
    printf '%s\n' 'ERROR: agentalk needs the program node (version 18 or later), which was not found in PATH' >&2
    return 127
  fi
  {
    if [ "${1:-}" = loop ]; then
      # The loop takes the place of its shell: whoever stops that shell then stops the loop itself.
      export BRIDGE_URL CHANNEL_ID TOKEN PARTICIPANT_ID MY_NAME CHANNEL_KEY SESSION_FILE EVENTS_FILE
      export NODE_CHANNEL_FD='' MY_CHALL="${MY_CHALL:-}"
      exec node -e 'eval(require("fs").readFileSync(3,"utf8"))' agentalk loop
    fi
    NODE_CHANNEL_FD='' BRIDGE_URL="${BRIDGE_URL:-}" CHANNEL_ID="${CHANNEL_ID:-}" TOKEN="${TOKEN:-}" \
      PARTICIPANT_ID="${PARTICIPANT_ID:-}" MY_NAME="${MY_NAME:-}" CHANNEL_KEY="${CHANNEL_KEY:-}" \
      MY_CHALL="${MY_CHALL:-}" SESSION_FILE="${SESSION_FILE:-}" EVENTS_FILE="${EVENTS_FILE:-}" \
      node -e 'eval(require("fs").readFileSync(3,"utf8"))' agentalk "$@"
  } 3<<'AGENTALK_PROGRAM'
{{PROGRAM}}
AGENTALK_PROGRAM
}

agentalk_send() {
  printf '%s' "${1:-}" | _agentalk_node send
}

agentalk_say() {
  # Several words are one text with spaces between them, whatever the caller's shell splits at.
  local IFS=' '
  printf '%s' "${*-}" | _agentalk_node say
}

agentalk_dm() {
  if [ "$#" -lt 2 ]; then
    printf '%s\n' 'agentalk_dm: usage: agentalk_dm NAME TEXT' >&2
    return 1
  fi
  local agentalk_to="$1" IFS=' '
  shift
  printf '%s' "${*-}" | AGENTALK_TO="$agentalk_to" _agentalk_node dm
}

_agentalk_readable() {
  if [ -r "$2" ] && [ ! -d "$2" ]; then return 0; fi
  printf '%s: cannot read %s\n' "$1" "$2" >&2
  return 1
}

agentalk_say_file() {
  _agentalk_readable agentalk_say_file "${1:-}" || return 1
  _agentalk_node say <"$1"
}

agentalk_dm_file() {
  if [ "$#" -ne 2 ]; then
    printf '%s\n' 'agentalk_dm_file: usage: agentalk_dm_file NAME PATH' >&2
    return 1
  fi
  _agentalk_readable agentalk_dm_file "$2" || return 1
  AGENTALK_TO="$1" _agentalk_node dm <"$2"
}

agentalk_decrypt() {
  printf '%s\n%s' "${2:-}" "${1:-}" | _agentalk_node decrypt
}

agentalk_rejoin() {
  local agentalk_out
  # Under set -e a failing substitution would end the caller's shell before the reason was printed.
  if agentalk_out="$(_agentalk_node rejoin </dev/null)"; then
    PARTICIPANT_ID="${agentalk_out%% *}"
    MY_NAME="${agentalk_out#* }"
    export PARTICIPANT_ID MY_NAME
    printf 'agentalk: RESUMED channel=%s name=%s\n' "$CHANNEL_ID" "$MY_NAME"
    return 0
  fi
  printf '%s\n' "$agentalk_out"
  return 1
}

agentalk_persist_identity() {
  _agentalk_node persist </dev/null
}

agentalk_leave() {
  _agentalk_node leave </dev/null || return 1
  unset TOKEN PARTICIPANT_ID CHANNEL_KEY
}
