/** What people do at the console, and what agents are told of, in words. */
export const DEEDS: Readonly<Record<string, string>> = {
  signed_in: 'signed in',
  ended_session: 'ended a session',
  looked: 'looked at',
  changed: 'changed',
  replayed: 'replayed',
  tested: 'tested',
  released: 'took from a silent worker',
  rotated_secret: 'replaced a secret',
  retried_job: 'retried a job',
  dropped_job: 'dropped a job',
  backed_up: 'backed up',
  downloaded_backup: 'downloaded a backup',
  invited: 'invited',
  set_log_level: 'set the log level',
  'message.delivered': 'was sent a message',
  'message.digest': 'was told of several messages',
  'message.read': 'had its message read',
  'message.acked': 'had its message acknowledged',
  'message.failed': 'had its message fail',
  'turn.pass': 'got the turn',
  'execution.offered': 'was offered a run',
  'execution.outcome': 'was told of an outcome',
  'agent.live_session.attached': 'attached a session',
  'agent.live_session.detached': 'lost a session',
};

export const deedOf = (action: string): string => DEEDS[action] ?? action.replaceAll('_', ' ');
