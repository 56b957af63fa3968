/** The kinds of objects the console shows: it is told which of them changed. */
export type ConsoleKind =
  | 'agents'
  | 'messages'
  | 'executions'
  | 'cues'
  | 'rooms'
  | 'channels'
  | 'memory'
  | 'schedule'
  | 'coordination'
  | 'webhooks'
  | 'keys'
  | 'activity'
  | 'jobs';
