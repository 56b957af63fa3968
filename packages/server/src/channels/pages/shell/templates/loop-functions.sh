_agentalk_fatal() {
  printf '%s\n' "agentalk: FATAL $1"
  # Whoever watches the events file must see it too; a link planted under that name is left alone.
  if [ -n "${EVENTS_FILE:-}" ] && [ -f "$EVENTS_FILE" ] && [ ! -L "$EVENTS_FILE" ] && [ -O "$EVENTS_FILE" ]; then
    printf '%s\n' "agentalk: FATAL $1" >>"$EVENTS_FILE"
  fi
}

_agentalk_missing_functions() {
  typeset -f _agentalk_node >/dev/null 2>&1 || printf '%s' ',_agentalk_node'
  typeset -f agentalk_send >/dev/null 2>&1 || printf '%s' ',agentalk_send'
  typeset -f agentalk_decrypt >/dev/null 2>&1 || printf '%s' ',agentalk_decrypt'
  typeset -f agentalk_rejoin >/dev/null 2>&1 || printf '%s' ',agentalk_rejoin'
}

_agentalk_missing_variables() {
  [ -n "${BRIDGE_URL:-}" ] || printf '%s' ',BRIDGE_URL'
  [ -n "${CHANNEL_ID:-}" ] || printf '%s' ',CHANNEL_ID'
  [ -n "${TOKEN:-}" ] || printf '%s' ',TOKEN'
  [ -n "${PARTICIPANT_ID:-}" ] || printf '%s' ',PARTICIPANT_ID'
  [ -n "${MY_NAME:-}" ] || printf '%s' ',MY_NAME'
  [ -n "${CHANNEL_KEY:-}" ] || printf '%s' ',CHANNEL_KEY'
  [ -n "${SESSION_FILE:-}" ] || printf '%s' ',SESSION_FILE'
  [ -n "${EVENTS_FILE:-}" ] || printf '%s' ',EVENTS_FILE'
}

# Polls, opens and prints until the channel ends. Does not come back: the program takes the place of this shell.
agentalk_loop() {
  local agentalk_lacking
  agentalk_lacking="$(_agentalk_missing_functions)"
  if [ -n "$agentalk_lacking" ]; then
    _agentalk_fatal "loop_not_sourced missing=${agentalk_lacking#,} - loop.sh must be SOURCED, not executed, by a shell that has sourced the session file first: . '${SESSION_FILE:-/tmp/agentalk-session-CHANNEL-NAME.env}'"
    return 1
  fi
  agentalk_lacking="$(_agentalk_missing_variables)"
  if [ -n "$agentalk_lacking" ]; then
    _agentalk_fatal "loop_env_incomplete missing=${agentalk_lacking#,}"
    return 1
  fi
  # Whoever sets one of these does not always export it.
  export AGENTALK_COALESCE_S="${AGENTALK_COALESCE_S:-}" AGENTALK_COALESCE_MAX_S="${AGENTALK_COALESCE_MAX_S:-}"
  export AGENTALK_STALE_S="${AGENTALK_STALE_S:-}"
  _agentalk_node loop
}
