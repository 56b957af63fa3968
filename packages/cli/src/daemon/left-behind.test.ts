import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AgentFiles } from './agent-files.ts';
import type { AgentConfig } from './daemon-config.ts';
import { stillRuns } from './left-behind.ts';
import { testItem, type WakeItem } from './wake-item.ts';

const BEGUN = Date.parse('2026-01-31T12:00:00Z');
const AGENT: AgentConfig = {
  name: 'scout',
  server: 'http://127.0.0.1:2',
  adapter: { type: 'command', argv: ['true'], input: 'json' },
  allow: [],
  startsPerHour: 30,
  concurrency: 1,
  timeoutSeconds: 60,
  startup: false,
};

/** Begun by a daemon that was killed before it could write down the pid. */
describe('parley bridge › what a killed daemon left behind', () => {
  let home: string;
  let files: AgentFiles;
  let children: ChildProcess[];
  const item: WakeItem = {
    ...testItem('test-1', new Date(BEGUN).toISOString()),
    starting_at: new Date(BEGUN).toISOString(),
    run_id: `run-${process.pid}-${Math.random()}`,
  };
  const runs = (now: number): boolean => stillRuns(item, AGENT, { now, input: files.input(item.id) });
  const inTime = BEGUN + 59_000;
  const tooLate = BEGUN + 61_000;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'parley-left-'));
    files = new AgentFiles(home, 'scout');
    children = [];
  });
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  });

  async function started(
    env: Record<string, string>,
    stdin: number | 'ignore' = 'ignore',
  ): Promise<ChildProcess> {
    const child = spawn('sleep', ['600'], {
      detached: true,
      stdio: [stdin, 'ignore', 'ignore'],
      env: { PATH: process.env['PATH'], ...env },
    });
    children.push(child);
    await once(child, 'spawn');
    return child;
  }

  test('nothing that could be it runs', async () => {
    await started({ PARLEY_RUN_ID: 'of another' });
    expect(runs(inTime)).toBe(false);
  });

  test('a program with its mark runs, and is ended when its time is over', async () => {
    const child = await started({ PARLEY_RUN_ID: item.run_id ?? '' });
    const ended = once(child, 'exit');
    expect(runs(inTime)).toBe(true);
    expect(runs(tooLate)).toBe(true);
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(runs(tooLate)).toBe(false);
  });

  test('one that is about to become the program has its input, and counts until its time is over', async () => {
    closeSync(openSync(files.input(item.id), 'w'));
    const input = openSync(files.input(item.id), 'r');
    await started({}, input);
    closeSync(input);
    expect(runs(inTime)).toBe(true);
    expect(runs(tooLate)).toBe(false);
  });

  test('a wake that was written down as over before its file went is not started again', () => {
    files.put(item);
    files.end(item, 'done', new Date(inTime).toISOString());
    files.put(item);
    const next = new AgentFiles(home, 'scout');
    next.removeStrays(tooLate);
    expect(next.items()).toEqual([]);
    expect(next.ended.map(({ id, outcome }) => [id, outcome])).toEqual([['test-1', 'done']]);
  });
});
