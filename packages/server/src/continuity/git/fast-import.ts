import type { RunningGit } from './git-program.ts';

/** A file as it is from a commit on; without content it is gone. */
export interface FileChange {
  readonly path: string;
  readonly content?: string | Uint8Array;
}

export interface Signature {
  readonly name: string;
  readonly email: string;
}

export interface Commit {
  readonly author: Signature;
  readonly committer: Signature;
  /** Unix milliseconds. */
  readonly at: number;
  readonly message: string;
  readonly changes: readonly FileChange[];
}

/** Writes commits onto one branch through `git fast-import --done`: a stream that breaks off changes no branch. */
export class CommitStream {
  readonly #git: RunningGit;
  readonly #ref: string;
  readonly #checkpointEvery: number;
  #parent: string | undefined;
  #commits = 0;

  /** `parent` is what the first commit stands on; undefined for the first of all. */
  constructor(git: RunningGit, ref: string, parent: string | undefined, checkpointEvery: number) {
    this.#git = git;
    this.#ref = ref;
    this.#parent = parent;
    this.#checkpointEvery = checkpointEvery;
  }

  async add(commit: Commit): Promise<void> {
    const seconds = Math.floor(commit.at / 1000);
    const head = [
      `commit ${this.#ref}`,
      `author ${signatureText(commit.author)} ${seconds} +0000`,
      `committer ${signatureText(commit.committer)} ${seconds} +0000`,
      '',
    ].join('\n');
    const parts: (string | Uint8Array)[] = [head, ...counted(messageBytes(commit.message))];
    if (this.#parent !== undefined) parts.push(`from ${this.#parent}\n`);
    this.#parent = undefined;
    for (const { path, content } of commit.changes) {
      if (content === undefined) parts.push(`D ${quoted(path)}\n`);
      else parts.push(`M 100644 inline ${quoted(path)}\n`, ...counted(Buffer.from(content)));
    }
    await this.#git.write(Buffer.concat(parts.map((part) => Buffer.from(part))));
    this.#commits += 1;
    // What is written so far becomes part of the branch, so that an interrupted export need not begin again.
    if (this.#commits % this.#checkpointEvery === 0) await this.#git.write('checkpoint\n\n');
  }

  async finish(): Promise<void> {
    await this.#git.write('done\n');
    this.#git.end();
    await this.#git.finished;
  }
}

/** With its length before it, so that nothing in it can be taken for a command. */
const counted = (bytes: Buffer): (string | Uint8Array)[] => [`data ${bytes.length}\n`, bytes, '\n'];

/** Git cuts a message at a NUL. */
const messageBytes = (message: string): Buffer =>
  Buffer.from(`${message.replaceAll('\0', '\u2400').replace(/\n+$/, '')}\n`);

/** The two brackets and the end of the line are what a signature is read by. */
function signatureText({ name, email }: Signature): string {
  const shown = name.replaceAll(/[<>\p{Cc}]+/gu, ' ').trim();
  return `${shown === '' ? 'unknown' : shown} <${email.replaceAll(/[^\w.@+-]+/g, '-')}>`;
}

/** As in C: a path may hold anything. */
function quoted(path: string): string {
  const escaped = [...Buffer.from(path)].map((byte) =>
    byte < 0x20 || byte >= 0x7f || byte === 0x22 || byte === 0x5c
      ? `\\${byte.toString(8).padStart(3, '0')}`
      : String.fromCharCode(byte),
  );
  return `"${escaped.join('')}"`;
}
