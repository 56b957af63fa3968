import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RoomClient } from '@parley/server/rooms/testing/room-client';
import { expect } from 'vitest';
import { type Finished, type Running, Terminal } from '../../testing/run-parley.ts';

export interface Sent {
  readonly id: string;
  readonly proven_stage: string;
  readonly delivery_state: string;
  readonly invoked_by: string | null;
}

/** One start of the agent's program, as it was seen from inside. */
export interface ProgramRun {
  readonly input: Record<string, unknown> & { readonly message_id: string | null };
  readonly env: Record<string, string>;
  readonly argv: readonly string[];
}

/** What an agent's program does: notes what it was given, and ends as it is told to. */
const PROGRAM = `
  import { appendFileSync, readFileSync } from 'node:fs';
  const input = readFileSync(0, 'utf8');
  const ids = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('PARLEY_')));
  appendFileSync('runs.jsonl', JSON.stringify({ input: JSON.parse(input), env: ids, argv: process.argv.slice(2) }) + '\\n');
  if (process.argv[2] === 'ack') {
    const { server, message_id, key_file } = JSON.parse(input);
    const headers = { authorization: 'Bearer ' + readFileSync(key_file, 'utf8') };
    await fetch(server + '/v1/messages/' + message_id + '/ack', { method: 'POST', headers });
  }
  process.exitCode = Number(process.argv[3] ?? 0);
`;

/** A server, and the client that makes people and agents there. */
export interface Place {
  readonly url: string;
  readonly client: RoomClient;
}

/** A machine with a bridge for the agent `scout`. */
export class Desk {
  readonly terminal: Terminal;
  readonly client: RoomClient;
  #running: Running | undefined;

  /** `url`: of something that stands before the server. */
  constructor(
    { url: server, client }: Place,
    { url = server, env = {} }: { url?: string; env?: Record<string, string> } = {},
  ) {
    this.client = client;
    this.terminal = new Terminal({ PARLEY_URL: url, XDG_STATE_HOME: '', ...env });
    writeFileSync(this.path('agent.mjs'), PROGRAM);
  }

  /** In the folder of this machine. */
  path(...names: string[]): string {
    return join(this.terminal.home, ...names);
  }

  /** In what the bridge keeps of the agent. */
  kept(...names: string[]): string {
    return this.path('.local/state/parley/bridge/scout', ...names);
  }

  run(...args: string[]): Promise<Finished> {
    return this.terminal.run(['bridge', ...args]);
  }

  async init(key: string, ...words: string[]): Promise<Finished> {
    return await this.terminal.run(['bridge', 'init', 'scout', '--stdin', ...words], key);
  }

  async mustInit(key: string, ...words: string[]): Promise<void> {
    const { code, stderr } = await this.init(key, ...words);
    expect([code, stderr]).toEqual([0, '']);
  }

  /** Set up with the program in the home folder. */
  async setUp(key: string, words: readonly string[] = [], more: readonly string[] = []): Promise<void> {
    const program = ['--cwd', this.terminal.home, '--', process.execPath, this.path('agent.mjs'), ...words];
    await this.mustInit(key, ...more, ...program);
  }

  async serve(): Promise<Running> {
    const running = this.terminal.start(['bridge', 'run']);
    this.#running = running;
    await expect.poll(() => running.toldSoFar()).toContain('runs\n');
    return running;
  }

  /** What the bridge has logged. */
  told(): string {
    return this.#running?.toldSoFar() ?? '';
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const running = this.#running;
    this.#running = undefined;
    running?.signal(signal);
    return (await running?.finished)?.code ?? null;
  }

  runs(): ProgramRun[] {
    return this.lines('runs.jsonl').map((line) => JSON.parse(line) as ProgramRun);
  }

  /** The whole lines of a file in the home folder; none when there is no such file. */
  lines(file: string): string[] {
    if (!existsSync(this.path(file))) return [];
    // The last part is a line that is being written, or nothing.
    return readFileSync(this.path(file), 'utf8').split('\n').slice(0, -1);
  }

  async status(): Promise<string> {
    return (await this.run('status', '--wakes')).stdout;
  }

  /** A program of that name, before all others on this machine. */
  install(name: string, script: string): string {
    mkdirSync(this.path('bin'), { recursive: true });
    writeFileSync(this.path('bin', name), script, { mode: 0o755 });
    return this.path('bin');
  }

  async send(from: string, to: string, body: string): Promise<Sent> {
    const answer = await this.client.call<Sent>('POST', '/v1/messages', { key: from, body: { to, body } });
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  }

  async message(key: string, id: string): Promise<Sent> {
    return (await this.client.call<Sent>('GET', `/v1/messages/${id}`, { key })).body;
  }

  async stage(key: string, id: string): Promise<string> {
    return (await this.message(key, id)).proven_stage;
  }

  async close(): Promise<void> {
    await this.stop('SIGKILL');
    this.terminal.remove();
  }
}

export interface Sibling {
  readonly key: string;
  readonly address: string;
}

/** Two agents of one owner. */
export async function pair(
  client: RoomClient,
): Promise<{ scout: Sibling; writer: Sibling; ownerKey: string }> {
  const owner = await client.people.owner();
  const made = async (slug: string): Promise<Sibling> => {
    const body = { slug, display_name: slug };
    const { status, text } = await client.call('POST', '/v1/agents', { key: owner.key, body });
    expect(status, text).toBe(201);
    const key = await client.call<{ api_key: string }>('POST', '/v1/keys', {
      key: owner.key,
      body: { agent: slug },
    });
    return { key: key.body.api_key, address: `${slug}@${owner.slug}` };
  };
  return { scout: await made('scout'), writer: await made('writer'), ownerKey: owner.key };
}
