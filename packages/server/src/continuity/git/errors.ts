/** Why git did not do what it was asked to. */
export type GitFault = 'missing' | 'failed' | 'stalled' | 'stopped';

/** Why a mirror is behind, as operators are told. */
export type MirrorFault = Exclude<GitFault, 'stopped'> | 'refused' | 'store';

export class GitError extends Error {
  override readonly name = 'GitError';
  readonly fault: GitFault;

  constructor(fault: GitFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

/** The folder is not one this memory may be written into, or not now. Nothing was changed in it. */
export class ExportRefused extends Error {
  override readonly name = 'ExportRefused';
}
