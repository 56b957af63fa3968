/**
 * Variables of the same prefix that belong to other programs. They may be there when a server is started on the same machine, or by
 * an agent that a bridge or a worker has started, so they are no slips of the hand.
 */
export const FOREIGN_VARIABLES: ReadonlySet<string> = new Set([
  // Where the server's own file is.
  'PARLEY_CONFIG',
  // The command line and its installer.
  'PARLEY_URL',
  // Where `parley migrate` copies to.
  'PARLEY_MIGRATE_TO',
  'PARLEY_BIN',
  'PARLEY_SERVER',
  'PARLEY_SUBJECT',
  // The bridge.
  'PARLEY_BRIDGE_HOME',
  'PARLEY_HOOK_TOKEN',
  // What the bridge and `parley work` give to the programs they start.
  'PARLEY_AGENT_ID',
  'PARLEY_CUE_ID',
  'PARLEY_EXECUTION_ID',
  'PARLEY_HANDOFF_ID',
  'PARLEY_KEY_FILE',
  'PARLEY_MESSAGE_ID',
  'PARLEY_ROOM_ID',
  'PARLEY_RUN_ID',
  'PARLEY_TASK',
  'PARLEY_WAKE_ID',
  'PARLEY_WAKE_TYPE',
]);
