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
];
