import { codeOf, messageOf } from '../error-words.ts';

export class DatabaseClosedError extends Error {
  override name = 'DatabaseClosedError';
  constructor() {
    super('the database is closed');
  }
}

export class TransactionEndedError extends Error {
  override name = 'TransactionEndedError';
  constructor() {
    super('this transaction is over: its tx was used after its write function had settled');
  }
}

export class TransactionFailedError extends Error {
  override name = 'TransactionFailedError';
  constructor(cause: unknown) {
    super('an earlier statement of this write failed, so the write is rolled back', { cause });
  }
}

export class NestedWriteError extends Error {
  override name = 'NestedWriteError';
  constructor() {
    super('db.write was called inside a write function: pass its tx on instead');
  }
}

export class WriteStalledError extends Error {
  override name = 'WriteStalledError';
  constructor(ms: number) {
    super(`a write function did not settle within ${ms} ms: it awaits something other than its tx`);
  }
}

export class LockTimeoutError extends Error {
  override name = 'LockTimeoutError';
  constructor(cause: unknown) {
    super('the lock was held by others for longer than this write waits', { cause });
  }
}

export class UnknownMigrationError extends Error {
  override name = 'UnknownMigrationError';
  constructor(names: readonly string[]) {
    super(
      `this data was written by a newer version: it has migrations this program does not know (${names.join(', ')}). ` +
        'Start that version, or restore a backup made before the upgrade.',
    );
  }
}

export class UnfinishedCopyError extends Error {
  override name = 'UnfinishedCopyError';
  constructor() {
    super(
      'another store is being copied into this database and not all of it is there: stop the server of that store, and run ' +
        '"parley migrate" again with the same settings.',
    );
  }
}

export class MigrationFailedError extends Error {
  override name = 'MigrationFailedError';
  constructor(name: string, cause: unknown) {
    super(`migration ${name} failed and was undone: ${messageOf(cause)}`, { cause });
  }
}

export class DataDirectoryLockedError extends Error {
  override name = 'DataDirectoryLockedError';
  readonly pid: number;
  constructor(directory: string, pid: number) {
    const who = pid > 0 ? ` (pid ${pid}, as its own system or container counts)` : '';
    super(`the data directory ${directory} is in use by another server${who}`);
    this.pid = pid;
  }
}

export class DataDirectoryUnusableError extends Error {
  override name = 'DataDirectoryUnusableError';
  constructor(directory: string, code: string, cause: unknown) {
    super(
      `the data directory ${directory} cannot be written (${code}): ` +
        'name one that can with --data-dir or PARLEY_DATA_DIR, or give this user the right to write there',
      { cause },
    );
  }
}

export class DatabaseUnusableError extends Error {
  override name = 'DatabaseUnusableError';
  constructor(database: string, cause: unknown) {
    const message = messageOf(cause);
    const [, advice] = ADVICE.find(([said]) => said.test(message)) ?? [];
    super(`${database} cannot be used: ${message}${advice === undefined ? '' : ` (${advice})`}`, { cause });
  }
}

/** What PostgreSQL or a pooler before it says, and what to do about it. */
const ADVICE: readonly (readonly [said: RegExp, advice: string])[] = [
  [
    /^unsupported startup parameter/,
    'a pooler: with PARLEY_DATABASE_DIRECT_URL=postgres://… past it a server asks it for nothing that it lacks',
  ],
  [
    /^permission denied for schemas? /,
    'its user has to own the database, or be granted to make tables: GRANT CREATE, USAGE ON SCHEMA … TO …',
  ],
];

/** Whoever is to have a database alone, or with others that share a Redis, finds one that is against that. */
export class DatabaseInUseError extends Error {
  override name = 'DatabaseInUseError';
  constructor(shared: boolean) {
    super(
      shared
        ? 'another server uses this database without redis_url: stop it, and give it the same PARLEY_REDIS_URL before it starts again'
        : 'another server uses this database: several nodes need PARLEY_REDIS_URL=redis://… on each of them (hints, limits and ' +
            'sealed channels go through it); with one node, stop the other first',
    );
  }
}

/** What a client of PostgreSQL says when there is no connection, or none to be had in time. */
const NO_CONNECTION = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const LOST =
  /^(Connection terminated|Query read timeout|timeout (expired|exceeded when trying to connect)|Client (has encountered a connection error|was closed))/;
/** PostgreSQL or a pooler ended the session: it shuts down or starts up, was told to, or waited too long for the next statement. */
const SESSION_ENDED = new Set(['57P01', '57P02', '57P03', '25P03']);
/**
 * Too many connections, a lock or an answer that took too long; undone for the sake of another; on a copy that takes no writes yet, or no
 * longer.
 */
const BUSY = new Set(['53300', '55P03', '57014', '40001', '40P01', '25006']);

/** Whether there was no connection, or it broke before the commit was sent: nothing was done then, and all of it may be tried again. */
export function isCutOff(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof CommitUnknownError) return false;
  if (error instanceof NeverBegunError || LOST.test(error.message)) return true;
  const code = String(codeOf(error));
  if (code.startsWith('08') || NO_CONNECTION.has(code) || SESSION_ENDED.has(code)) return true;
  return isCutOff(error.cause);
}

/**
 * Whether a database that is away, or held up by somebody else, is all that is wrong: later it may be stored. It was not yet, unless it
 * `isUncertain`.
 */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof LockTimeoutError || error instanceof CommitUnknownError || isCutOff(error))
    return true;
  return BUSY.has(String(codeOf(error))) || isAway(error.cause);
}

const SQLITE_FULL = 13;
const POSTGRES_FULL = '53100';

/** Whether the disk of the database has no room for this. */
export function isFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (codeOf(error) === POSTGRES_FULL || ('errcode' in error && error.errcode === SQLITE_FULL)) return true;
  return isFull(error.cause);
}

const SQLITE_UNIQUE = new Set([1555, 2067]);

/** Whether a statement failed because the same key is already there, on either database. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (codeOf(error) === '23505') return true;
  return 'errcode' in error && typeof error.errcode === 'number' && SQLITE_UNIQUE.has(error.errcode);
}

/** The connection broke before it was answered whether the transaction is committed: it may be, and may not. */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError';
  constructor(cause: unknown) {
    super('the connection to the database broke while this write was committed', { cause });
  }
}

/** Whether what failed may have been stored all the same. */
export function isUncertain(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof CommitUnknownError || isUncertain(error.cause);
}

/** Nothing had been sent by then, so the same may be tried again. */
export class NeverBegunError extends Error {
  override readonly name = 'NeverBegunError';
  constructor(cause: unknown) {
    super('no connection to the database for this write', { cause });
  }
}
