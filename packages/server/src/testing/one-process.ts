const COUNTED = 'reads what one process counted since its start';
const AT_EACH_NODE = 'holds at each node by itself: a participant may park four polls at each';

export interface OfOneProcess {
  readonly file: string;
  readonly title: string;
  readonly reason: string;
}

/** Tests of what one process does by itself, which two nodes do twice, or each its half: not run over two nodes. */
export const OF_ONE_PROCESS: readonly OfOneProcess[] = [
  {
    file: 'channels/poll',
    title: 'are at most four per participant: a fifth answers the oldest with 204',
    reason: AT_EACH_NODE,
  },
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
    reason: 'starts again on a file, which has one node',
  },
  {
    file: 'rooms/room/encryption',
    title: 'leaves no message text on the disk, neither in messages nor in events',
    reason: 'reads the files of a store that is one server’s own',
  },
];
