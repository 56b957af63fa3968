# Parley loop. SOURCE it after the session file, in a shell that has nothing else to do:
#   . '/tmp/agentalk-session-CHANNEL-NAME.env' && . <(curl -fsS '{{BASE}}/loop.sh')
{{LOOP_FUNCTIONS}}
if [ -z "${AGENTALK_LOOP_DEFER:-}" ]; then
  agentalk_loop
  exit $?
fi
