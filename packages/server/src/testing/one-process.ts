const COUNTED = 'reads what one process counted since its start';
const ON_A_FILE = 'starts again on a file, which has one node';
const STATEMENTS = 'counts the statements of a server on a file';
const FAST = 'moves the clock further at once than the node that keeps the mirror can renew its right to';

export interface OfOneProcess {
  readonly file: string;
  readonly title: string;
  readonly reason: string;
}

/** Tests of what one process does by itself, which two nodes do twice, or each its half: not run over two nodes. */
export const OF_ONE_PROCESS: readonly OfOneProcess[] = [
  {
    file: 'channels/health-metrics',
    title: 'health counts what is here now and what has been',
    reason: COUNTED,
  },
  { file: 'channels/health-metrics', title: 'metrics move', reason: COUNTED },
  { file: 'rooms/room/lifecycle', title: 'count without naming anyone', reason: COUNTED },
  {
    file: 'delivery/messages/send-limits',
    title: 'a change of plan holds at once',
    reason: 'holds at once at the node that made the change, and within two seconds at others',
  },
  {
    file: 'delivery/sessions/restart',
    title: 'live sessions › one that fell silent while the server was down is detached by the next',
    reason: ON_A_FILE,
  },
  {
    file: 'rooms/protocol',
    title: 'change the hashes, and running rooms answer stale_bundle_hash once',
    reason: ON_A_FILE,
  },
  {
    file: 'delivery/cues/firing/cost',
    title: 'at most four times what a message does, whoever it is for',
    reason: STATEMENTS,
  },
  {
    file: 'delivery/cues/firing/cost',
    title: 'each further one of the same moment costs less than a message',
    reason: STATEMENTS,
  },
  ...[
    'a git that hangs delays no write; it is given up, and the mirror catches up',
    'a git that is missing or fails is told once, tried again ever more rarely, and made up for',
    'a server that stops does not wait for git, and the next one makes up for it',
    'writes of another process are found by themselves',
  ].map((title) => ({ file: 'continuity/git/mirror', title, reason: FAST })),
  {
    file: 'rooms/room/encryption',
    title: 'leaves no message text on the disk, neither in messages nor in events',
    reason: 'reads the files of a store that is one server’s own',
  },
];
