/** The job is no longer held by this run: it was cancelled, replaced, taken over or given back. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
  constructor(kind: string, id: number) {
    super(`job ${kind} ${id} is no longer held by this run`);
  }
}

/** Thrown by a handler when another attempt cannot help: the job is dead at once. */
export class DeadJobError extends Error {
  override name = 'DeadJobError';
}

export class UnknownJobKindError extends Error {
  override name = 'UnknownJobKindError';
  constructor(kind: string) {
    super(`no handler is defined for jobs of kind ${kind}`);
  }
}
