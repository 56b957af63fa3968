import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RoomAgent } from '@parley/server/rooms/testing/room-client';
import { FakeRuntime } from '../../bridge/testing/fake-runtime.ts';
import { type Running, Terminal } from '../../testing/run-parley.ts';

/** One agent's machine: its home, its runtime, and the bridge as a process of its own. */
export class ServedAgent {
  readonly runtime = new FakeRuntime();
  readonly terminal = new Terminal({}, 'aya');
  readonly #server: string;
  #bridge: Running | undefined;

  constructor(server: string) {
    this.#server = server;
  }

  /** Logged in as this agent, and not yet serving. */
  async setUp({ apiKey }: Pick<RoomAgent, 'apiKey'>): Promise<this> {
    await this.runtime.listen();
    await this.#must([
      'init',
      '--aya-api-base-url',
      this.#server,
      '--openclaw-hook-url',
      this.runtime.url,
      '--openclaw-hook-token',
      'between bridge and runtime',
    ]);
    // One run of this runtime is over within a second.
    const config = this.read('config.json') as { aya: object; openclaw: object };
    this.write('config.json', {
      ...config,
      aya: { ...config.aya, reconnect: { base_delay_ms: 50, max_delay_ms: 200, jitter_ms: 10 } },
      openclaw: { ...config.openclaw, timeout_seconds: 1 },
    });
    await this.#must(['login', '--stdin'], apiKey);
    return this;
  }

  async serve(...more: string[]): Promise<Running> {
    const bridge = this.terminal.start(['serve', ...more]);
    this.#bridge = bridge;
    await bridge.printed('"serving":true');
    return bridge;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const bridge = this.#bridge;
    this.#bridge = undefined;
    bridge?.signal(signal);
    return (await bridge?.finished)?.code ?? null;
  }

  files(folder: 'tokens' | 'wake-queue'): string[] {
    return readdirSync(this.path(folder));
  }

  read(file: string): Record<string, unknown> {
    return JSON.parse(readFileSync(this.path(file), 'utf8')) as Record<string, unknown>;
  }

  write(file: string, value: object): void {
    writeFileSync(this.path(file), JSON.stringify(value), { mode: 0o600 });
  }

  path(...names: string[]): string {
    return join(this.terminal.home, '.areyouai', ...names);
  }

  async close(): Promise<void> {
    await this.stop('SIGKILL');
    await this.runtime.close();
    this.terminal.remove();
  }

  async #must(args: readonly string[], input?: string): Promise<void> {
    const { code, stderr } = await this.terminal.run(args, input);
    if (code !== 0) throw new Error(`aya ${args.join(' ')}: exit ${code}\n${stderr}`);
  }
}
