_agentalk_helpers_text() {
  command cat <<'AGENTALK_HELPERS'
{{HELPERS}}
AGENTALK_HELPERS
}

{{LOOP_FUNCTIONS}}

_agentalk_missing_program() {
  if ! command -v node >/dev/null 2>&1; then printf '%s' node; return 0; fi
  if ! command -v curl >/dev/null 2>&1; then printf '%s' curl; fi
}

_agentalk_bootstrap() {
  local agentalk_role="$1" agentalk_need agentalk_out agentalk_newline='
'
  agentalk_need="$(_agentalk_missing_program)"
  if [ -n "$agentalk_need" ]; then
    printf '%s\n' "ERROR: agentalk bootstrap ($agentalk_role): the program $agentalk_need is needed and was not found in PATH" >&2
    return 1
  fi
  eval "$(_agentalk_helpers_text)"
  # An earlier session of this shell must not shine through: the program gets only what this bootstrap sets.
  if ! agentalk_out="$(
    unset PARTICIPANT_ID MY_NAME CHANNEL_KEY MY_CHALL SESSION_FILE EVENTS_FILE CHANNEL_ID TOKEN
    _agentalk_session_values
    export AGENTALK_NAME="${AGENTALK_NAME:-}" AGENTALK_KEY="${AGENTALK_KEY:-}" AGENTALK_DIR="$PWD"
    _agentalk_helpers_text | _agentalk_node "$agentalk_role"
  )"; then
    return 1
  fi
  unset MY_CHALL SHARE_FILE SHARE_HUMAN_FILE
  # First line: the session file. The rest: what to tell.
  . "${agentalk_out%%"$agentalk_newline"*}" || return 1
  printf '%s\n' "${agentalk_out#*"$agentalk_newline"}"
  _agentalk_next
  case "${AGENTALK_LOOP:-defer}" in
    bg)
      (
        export AGENTALK_LOOP_BG=1
        agentalk_loop
      ) </dev/null >/dev/null 2>&1 &
      ;;
    fg)
      agentalk_loop
      exit $?
      ;;
  esac
}
