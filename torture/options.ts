import type { Tally } from './tally.ts';

export interface TortureOptions {
  readonly kills: number;
  /** Acknowledged writes that are to be there in the end. */
  readonly writes: number;
  readonly seed: number;
  /** What part of the full crowd of clients. */
  readonly share: number;
  readonly say: (line: string) => void;
  /** What was promised and what became of it, as far as the run came. */
  readonly tally: Tally;
  /** How much longer than promised something may take: more than 1 where the machine has other work. */
  readonly patience: number;
  /** How long to wait before looking for what is done twice. */
  readonly settleMs: number;
}
