import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { freshDatabase, missingPostgres } from '@parley/server/testing/databases';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProgram } from '../main.ts';
import { runHere } from '../testing/run-here.ts';
import { type Finished, Terminal } from '../testing/run-parley.ts';
import { spelled } from '../usage.ts';
import { EXAMPLES } from './examples.ts';

/** Every command that does something, by what is typed for it; what begins with __ is asked by shells. */
const runnable = (command: Command): string[] => [
  ...(command.commands.length === 0 || command.name() === 'serve' ? [nameOf(command)] : []),
  ...command.commands.flatMap(runnable),
];
const everyOne = (command: Command): Command[] => [command, ...command.commands.flatMap(everyOne)];
const nameOf = (command: Command): string => spelled(command).replace(/^parley /, '');

/** In a process of their own: they end with it, or look at the home folder, the program's path or the signals. */
const APART = /^(?:serve|bridge|aya|mcp|install|hook)\b/;
/** Ended with Ctrl+C, in the process when something was printed, here after a while. */
const ENDLESS = /--follow|^work(?!.*--once)|^room watch|^bridge run|^serve(?! service)/;
/** What they show ends with 6 where nobody answers, or is approved in a browser. */
const UNANSWERED = /^wake test/;
const BY_HAND = missingPostgres()
  ? /^login --email|^(?:logout|profile remove) .*\byou\b|^migrate/
  : /^login --email|^(?:logout|profile remove) .*\byou\b/;

describe('the examples of the help', () => {
  let server: TestServer;
  let home: string;
  let terminal: Terminal;
  const keys: Record<string, string> = {};
  const databases: (() => Promise<void>)[] = [];
  const before = process.cwd();

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    home = mkdtempSync(join(tmpdir(), 'parley-examples-'));
    process.cwd = () => home;
    mkdirSync(join(home, 'folder/memory/continuity'), { recursive: true });
    const registered = await post('/v1/auth/register', { email: 'example@example.com' });
    keys['owner'] = String(registered['api_key']);
    await run(`login --stdin --as owner`, keys['owner']);
    for (const [slug, profile] of [
      ['night-shift', 'night'],
      ['harbour-bot', 'harbour'],
    ] as const) {
      await json(`agent create ${slug} --profile owner`);
      const made = await json(`agent keys create --agent ${slug} --profile owner`);
      keys[profile] = String(made['api_key']);
      await run(`login --stdin --as ${profile}`, keys[profile]);
    }
    for (const hour of [6, 7]) await writeCapsule(hour);
    writeFileSync(join(home, 'capsule.json'), JSON.stringify(capsule('2026-04-01T08:00:00Z', 8).capsule));
    terminal = new Terminal({ ...env(), PARLEY_PORT: '0' });
    writeFileSync(join(terminal.home, 'agent.mjs'), '');
  });
  afterAll(async () => {
    for (const remove of databases) await remove();
    process.cwd = () => before;
    await server.close();
    terminal.remove();
    rmSync(home, { recursive: true, force: true });
  });

  const env = () => ({
    PARLEY_URL: server.url,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_STATE_HOME: join(home, 'state'),
    TZ: 'UTC',
  });
  const runWords = (words: readonly string[], input = '') => runHere(words, input, env());
  const run = (line: string, input = '') => runWords(wordsOf(line), input);

  async function json(line: string): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await run(`${line} --json`);
    if (code !== 0) throw new Error(`${line}: ${stderr}`);
    return JSON.parse(stdout.split('\n')[0] ?? '') as Record<string, unknown>;
  }

  async function post(path: string, body: object, key = ''): Promise<Record<string, unknown>> {
    const headers = {
      'content-type': 'application/json',
      ...(key !== '' && { authorization: `Bearer ${key}` }),
    };
    const answer = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status, path).toBeLessThan(300);
    return (await answer.json()) as Record<string, unknown>;
  }

  /** What the ids in the examples stand for, made new each time. */
  const STANDINS: Readonly<Record<string, () => Promise<unknown>>> = {
    key_4f2a: async () => (await json('agent keys create --label x --profile owner'))['id'],
    msg_4f2a: async () => (await json('send harbour-bot hello --profile night'))['id'],
    lst_4f2a: async () => (await json('room offer tides --profile night'))['id'],
    room_4f2a: async () => {
      const { id, room_id: room } = await json('room offer tides --profile harbour');
      await json(`room take ${String(id)} --profile night`);
      return room;
    },
    sched_4f2a: async () => {
      const { item } = await json(`remind add x --at 'in 1h' --key k${Math.random()}`);
      return (item as Record<string, unknown>)['schedule_id'];
    },
    handoff_4f2a: async () => {
      const made = await json('handoff send harbour-bot thread/tide-cache --profile night');
      return (made['handoff'] as Record<string, unknown>)['handoff_id'];
    },
    shared_4f2a: async () =>
      ((await json('shared create board --alert x'))['shared'] as Record<string, unknown>)['shared_id'],
    '4f2a9c1e': finishedRun,
    '"$LINK"': async () => (keys['link'] ??= String((await json('channel create --name pier'))['join_url'])),
    '"$KEY"': newKey,
    spare: async () => {
      await run('login --stdin --as spare', String(await newKey()));
      return 'spare';
    },
    example: () => Promise.resolve('example'),
    // Another program may have that port.
    '--port 8080 --data-dir': () => Promise.resolve('--port 0 --data-dir'),
    'postgres://parley@127.0.0.1:5432/harbour': emptyDatabase,
    './parley-data': () => Promise.resolve(server.context.config.dataDir),
  };

  async function newKey(): Promise<unknown> {
    return (await json('agent keys create --agent night-shift --profile owner'))['api_key'];
  }

  /** Workers take the oldest first. */
  async function finishedRun(): Promise<unknown> {
    const { execution_id: id } = await json('cue fire tidy');
    while ((await json(`execution show ${String(id)}`))['status'] !== 'success') {
      await run('work --once --task tidy -- true');
    }
    return id;
  }

  async function emptyDatabase(): Promise<string> {
    const { at, remove } = await freshDatabase();
    databases.push(remove);
    return at.url;
  }

  async function writeCapsule(hour: number): Promise<void> {
    const at = `2026-04-01T0${hour}:00:00Z`;
    for (const key of [keys['harbour'], keys['night']]) {
      await post('/v1/continuity/upsert', capsule(at, hour), key);
    }
  }

  async function filledIn(line: string): Promise<string> {
    let filled = line;
    for (const [word, value] of Object.entries(STANDINS)) {
      if (filled.includes(word)) filled = filled.replaceAll(word, String(await value()));
    }
    return filled
      .replaceAll(/\.\/(?=restored|elsewhere|history|again|folder)/g, `${home}/`)
      .replaceAll('harbour.db', `${home}/harbour.db`)
      .replaceAll('--file capsule.json', `--file ${home}/capsule.json`);
  }

  /** `date | parley …` and `printf '%s' … | parley …` hand something over on standard input. */
  async function runExample(line: string): Promise<Finished> {
    const [, input = '', command = ''] =
      /^(?:(?:printf '%s' )?(.*?) \| )?parley (.*)$/.exec(await filledIn(line)) ?? [];
    const given = inputOf(input);
    if (APART.test(command)) return await runApart(command, given);
    const running = runWords(wordsOf(command), given);
    const stop = ENDLESS.test(command) ? setInterval(() => process.emit('SIGINT'), 300) : undefined;
    return await running.finally(() => clearInterval(stop));
  }

  /** What the left side of a pipe prints. */
  function inputOf(command: string): string {
    const [word = '', ...words] = wordsOf(command);
    if (word === 'cat') return readFileSync(join(home, words[0] ?? ''), 'utf8');
    return word === 'echo' ? words.join(' ') : command.replaceAll(/^'|'$|"/g, '');
  }

  async function runApart(command: string, input: string): Promise<Finished> {
    const running = terminal.start(wordsOf(command), input);
    if (ENDLESS.test(command)) {
      await expect.poll(() => running.soFar() + running.toldSoFar()).toMatch(/listening|stream.connected/);
      running.signal('SIGINT');
    }
    return await running.finished;
  }

  const lines = Object.values(EXAMPLES).flat();

  test('are two for every command', () => {
    const wanted = runnable(createProgram()).filter((name) => !name.startsWith('__'));
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(wanted.toSorted());
  });

  test.each(everyOne(createProgram()).map((command) => [spelled(command), command] as const))(
    '%s shows no other',
    async (name) => {
      const { stdout } = await run(`${name.replace(/^parley ?/, '')} --help`);
      const [, examples = ''] = /^Examples?:\n((?: {2}.*\n)+)/m.exec(stdout) ?? [];
      const shown = examples.split('\n').filter((line) => line !== '');
      expect(lines).toEqual(expect.arrayContaining(shown.map((line) => line.trim())));
      if (!/^parley(?:$| __)/.test(name)) expect(shown.length, stdout).toBeGreaterThan(0);
      // Nor elsewhere in the text, where nobody would look for it. What a shell evaluates is run by the tests of completion.
      const others = stdout.replace(examples, '').match(/^ {2}(?:.* \| )?parley .*$/gm) ?? [];
      const unknown = others.filter((line) => !lines.includes(line.trim()));
      if (name !== 'parley completion') expect(unknown).toEqual([]);
    },
  );

  test.each(lines.filter((line) => !BY_HAND.test(line.replace(/^.*?parley /, ''))))('%s', async (line) => {
    // Some make another profile the one in use.
    await run('profile use harbour');
    const command = line.replace(/^.*?parley /, '');
    const { code, stderr } = await runExample(line);
    // A server is stopped like that by whoever runs it: that is no interruption.
    const stopped = ENDLESS.test(command) && !command.startsWith('serve');
    const expected = UNANSWERED.test(command) ? 6 : stopped ? 130 : 0;
    const quiet = expected === 0 && !command.startsWith('serve');
    expect([line, code, quiet ? stderr.replaceAll(/^parley: .*\n/gm, '') : ''], stderr).toEqual([
      line,
      expected,
      '',
    ]);
  });
});

function capsule(at: string, hour: number) {
  return {
    subject_kind: 'thread',
    subject_id: 'tide-cache',
    capsule: {
      schema_version: '1.1',
      subject_kind: 'thread',
      subject_id: 'tide-cache',
      updated_at: at,
      verified_at: at,
      source: { producer: 'examples', update_reason: 'manual', inputs: [] },
      continuity: {
        top_priorities: [],
        active_concerns: [],
        active_constraints: ['no new dependencies'],
        open_loops: [`measure the hit rate at ${hour}`],
        stance_summary: 'Six hours, keyed by station and day.',
        drift_signals: [],
      },
      confidence: { continuity: 0.9, relationship_model: 0.5 },
    },
  };
}

/** As a shell cuts a line without variables into words. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
}
