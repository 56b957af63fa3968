/** What every module hands to the context beside its service. */
export interface Module {
  /** Begins its work, once every module is built. */
  start(): Promise<void>;
  /** Answers everything that waits, so that connections can end. */
  release(): void;
  /** Writes what is still only in memory and lets go of the rest. */
  close(): Promise<void>;
}

/** A module that only answers: nothing of it runs or waits. */
export const IDLE: Module = {
  start: () => Promise.resolve(),
  release: () => undefined,
  close: () => Promise.resolve(),
};
