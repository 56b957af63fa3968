import { type Child, startNode } from './child-program.ts';

/** The built server, on a clock that is ahead: as after a time of being down. */
const PROGRAM = `
  import { loadConfig } from '@parley/server/config/load';
  import { systemClock } from '@parley/server/platform/clock';
  import { startParley } from '@parley/server/server';
  process.stdin.on('end', () => process.exit(1)).resume().unref();
  const [settings, ahead] = process.argv.slice(1);
  const { config } = loadConfig({ cwd: JSON.parse(settings).dataDir });
  const clock = { ...systemClock, now: () => systemClock.now() + Number(ahead) };
  const { url } = await startParley({ ...config, port: 0, logLevel: 'error', ...JSON.parse(settings) }, { clock });
  console.log('url ' + url);
`;

/** A server that is cut off now and then and comes back, elsewhere and later. */
export class Phoenix {
  readonly #settings: object;
  readonly #downMs: number;
  #child: Child | undefined;
  #lives = 0;
  url = '';

  /** `downMs`: how much later each life begins, long enough for whatever the dead one had claimed to be free. */
  constructor(settings: object, downMs: number) {
    this.#settings = settings;
    this.#downMs = downMs;
  }

  async rise(): Promise<void> {
    const ahead = String(this.#downMs * this.#lives++);
    const args = ['--input-type=module', '--eval', PROGRAM, '--', JSON.stringify(this.#settings), ahead];
    this.#child = startNode('the server', args);
    this.url = (await this.#child.until((line) => line.startsWith('url '))).slice(4);
  }

  async die(): Promise<void> {
    await this.#child?.kill();
  }
}
