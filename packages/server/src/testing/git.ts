import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';

let verdict: { missing: string | undefined } | undefined;

/** Why suites with git cannot run; undefined when they can. As root on Debian it is installed when it is missing. */
export function missingGit(): string | undefined {
  verdict ??= { missing: findGit() };
  return verdict.missing;
}

const isPresent = (): boolean => spawnSync('git', ['--version']).status === 0;

function findGit(): string | undefined {
  if (isPresent()) return undefined;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return 'no git is on PATH';
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) => spawnSync('apt-get', args, { env, encoding: 'utf8' });
  const install = () => apt('install', '-y', '--no-install-recommends', 'git');
  if (install().status !== 0) {
    apt('update');
    const again = install();
    if (again.status !== 0) return `apt-get could not install git: ${again.stderr.trim()}`;
  }
  return isPresent() ? undefined : 'apt-get installed git, yet it is not on PATH';
}

/** A suite that needs git; where there is none, says why it was not run. */
export function describeWithGit(name: string, suite: () => void): void {
  const missing = missingGit();
  if (missing === undefined) return suite();
  process.stderr.write(`${name} is not run: ${missing}\n`);
  describe(name, () => test.skip(`git is not available: ${missing}`, () => {}));
}

/** What git says of a repository, in a folder of the caller. */
export class GitFolders {
  readonly root = mkdtempSync(join(tmpdir(), 'parley-git-'));
  #count = 0;

  constructor() {
    afterAll(() => rmSync(this.root, { recursive: true, force: true }));
  }

  /** A name nothing has yet. */
  folder(): string {
    return join(this.root, `repository${++this.#count}`);
  }

  git(directory: string, ...args: string[]): string {
    return this.bytes(directory, ...args).toString();
  }

  bytes(directory: string, ...args: string[]): Buffer {
    const env = { PATH: process.env.PATH ?? '', HOME: this.root, GIT_CONFIG_NOSYSTEM: '1' };
    return execFileSync('git', ['-C', directory, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 2 ** 28,
    });
  }

  /** Commits, oldest first, in a format of `git log`. */
  log(directory: string, format: string): string[] {
    const out = this.git(directory, 'log', '--reverse', '-z', `--format=${format}`, 'main');
    return out.split('\0').slice(0, -1);
  }

  /** As after a disk lost it: an object of its own file. */
  remove(directory: string, object: string): void {
    rmSync(join(directory, '.git/objects', object.slice(0, 2), object.slice(2)));
  }

  files(directory: string, revision = 'main'): string[] {
    return this.git(directory, 'ls-tree', '-r', '--name-only', revision).split('\n').filter(Boolean);
  }
}
