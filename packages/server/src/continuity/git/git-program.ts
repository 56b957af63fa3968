import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Clock, systemClock, type Timer } from '../../platform/clock.ts';
import { environmentOf } from '../../platform/environment.ts';
import { messageOf } from '../../platform/error-words.ts';
import { GitError } from './errors.ts';

export interface GitProgramOptions {
  /** Name or path of the program. */
  readonly program: string;
  readonly clock: Clock;
  /** Ends what runs. */
  readonly signal?: AbortSignal | undefined;
  readonly stallMs?: number;
}

/** A git that neither ends nor takes input for this long hangs. */
const STALL_MS = 120_000;
/** After a polite request to end; then git has had time to remove its lock files. */
const KILL_MS = 1_000;
const KEPT_ERROR_CHARS = 2_000;

/**
 * What a user or a repository has configured must not change bytes, run programs or start work in the background: the
 * files are those of the store, exactly.
 */
const FIXED = [
  'core.autocrlf=false',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.quotePath=false',
  'log.showSignature=false',
  'gc.autoDetach=false',
  'advice.detachedHead=false',
].flatMap((setting) => ['-c', setting]);

/** Nothing of ours goes along: the environment of the server holds secrets, and `GIT_DIR` would lead elsewhere. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM'];

/** Nothing is fetched, also not an object that a repository claims to have elsewhere: its transport would be a program. */
const OFFLINE = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0' };

/** Runs git. Each call is a process of its own; whoever calls waits for one before the next. */
export class GitProgram {
  readonly #options: GitProgramOptions;

  constructor(options: GitProgramOptions) {
    this.#options = options;
  }

  /** What it printed; throws when it fails. */
  async run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const running = this.start(args, env);
    running.end();
    return await running.finished;
  }

  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningGit {
    if (this.#options.signal?.aborted) throw new GitError('stopped', 'git was not started: stopping');
    const child = spawn(this.#options.program, [...FIXED, ...args], {
      env: { ...environmentOf(PASSED_ON), LC_ALL: 'C', ...OFFLINE, ...env },
      stdio: 'pipe',
      // A group of its own, so that what git starts ends with it.
      detached: true,
    });
    return new RunningGit(child, this.#options);
  }
}

/** One git at work, fed through its standard input. */
export class RunningGit {
  readonly finished: Promise<string>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #options: GitProgramOptions;
  #watch: Timer | undefined;
  #ended: GitError | undefined;
  #over = false;

  constructor(child: ChildProcessWithoutNullStreams, options: GitProgramOptions) {
    this.#child = child;
    this.#options = options;
    // A git that ends early breaks the pipe; its exit code and its last words say why.
    child.stdin.on('error', () => {});
    const stop = (): void => this.#end(new GitError('stopped', 'git was stopped'));
    options.signal?.addEventListener('abort', stop, { once: true });
    this.#alive();
    this.finished = this.#outcome().finally(() => {
      this.#over = true;
      this.#watch?.cancel();
      options.signal?.removeEventListener('abort', stop);
    });
    // Reported to whoever awaits it, also when that is later.
    this.finished.catch(() => {});
  }

  /** Resolves when there is room for more. */
  async write(chunk: string | Uint8Array): Promise<void> {
    if (this.#over || this.#child.stdin.destroyed) {
      await this.finished;
      throw new GitError('failed', 'git ended before it had everything');
    }
    this.#alive();
    if (this.#child.stdin.write(chunk)) return;
    await Promise.race([once(this.#child.stdin, 'drain').catch(() => {}), this.finished.then(() => {})]);
    this.#alive();
  }

  end(): void {
    this.#child.stdin.end();
  }

  /** Ends it now, as when its caller has failed. */
  async abandon(): Promise<void> {
    this.#end(new GitError('stopped', 'git was stopped'));
    await this.finished.catch(() => {});
  }

  async #outcome(): Promise<string> {
    const child = this.#child;
    const output: Buffer[] = [];
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => void output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-KEPT_ERROR_CHARS);
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
      // What a killed git started may hold its pipes open; nobody waits for that.
      child.once('exit', () => this.#ended && resolve(null));
    }).catch((error: unknown) => {
      throw startFault(this.#options.program, error);
    });
    if (this.#ended) throw this.#ended;
    if (code === 0) return Buffer.concat(output).toString();
    throw new GitError('failed', errors.trim() || `git ended with code ${code}`);
  }

  #alive(): void {
    this.#watch?.cancel();
    const ms = this.#options.stallMs ?? STALL_MS;
    this.#watch = this.#options.clock.after(ms, () => {
      this.#end(new GitError('stalled', `git did nothing for ${Math.round(ms / 1000)} seconds`));
    });
  }

  #end(reason: GitError): void {
    if (this.#over || this.#ended) return;
    this.#ended = reason;
    this.#kill('SIGTERM');
    // Real time on purpose: what must end must end.
    const last = systemClock.after(KILL_MS, () => this.#kill('SIGKILL'));
    void this.finished.catch(() => {}).then(() => last.cancel());
  }

  #kill(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // It is gone already.
    }
  }
}

function startFault(program: string, error: unknown): GitError {
  return new GitError(
    'missing',
    `the program ${program} cannot be started (${messageOf(error)}); install git, or say where it is with git_program`,
    error,
  );
}
