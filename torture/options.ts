export interface TortureOptions {
  readonly kills: number;
  /** Acknowledged writes that are to be there in the end. */
  readonly writes: number;
  readonly seed: number;
  /** What part of the full crowd of clients. */
  readonly share: number;
  readonly say: (line: string) => void;
}
