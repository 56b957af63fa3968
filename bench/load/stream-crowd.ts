import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs a program that may open so many files, where the system lets it. */
export const mayOpen = (files: number): readonly string[] => [
  'sh',
  '-c',
  `ulimit -n ${files} 2>/dev/null; exec "$@"`,
  'sh',
];

/** Each address of the loopback network has its own ports, of which the system gives out some 28,000. */
const PER_ADDRESS = 20_000;

const CROWD = `
  import { connect } from 'node:net';
  const [port, request] = JSON.parse(process.argv[1]);
  const open = [];
  const one = (at) => new Promise((resolve, reject) => {
    const localAddress = '127.0.0.' + (2 + Math.floor(at / ${PER_ADDRESS}));
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => socket.write(request, 'latin1'));
    socket.once('data', () => { socket.on('data', () => {}); resolve(); });
    socket.once('error', reject);
    open.push(socket);
  });
  process.on('message', async (wanted) => {
    try {
      while (open.length < wanted) {
        const batch = Math.min(100, wanted - open.length);
        await Promise.all(Array.from({ length: batch }, (_, at) => one(open.length + at)));
      }
      process.send({ open: open.length });
    } catch (error) {
      process.send({ error: error.message });
    }
  });
  process.once('disconnect', () => process.exit(0));
`;

/** Clients of event streams in a process of their own, which has files enough for them. */
export class StreamCrowd {
  readonly #child: ChildProcess;

  constructor(url: string, request: string, most: number) {
    const [program = '', ...args] = mayOpen(most + 1000);
    const words = [process.execPath, '--input-type=module', '-e', CROWD];
    this.#child = spawn(program, [...args, ...words, JSON.stringify([Number(new URL(url).port), request])], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }

  /** Until so many in all have their first bytes. */
  async reach(count: number): Promise<void> {
    const answered = once(this.#child, 'message');
    this.#child.send(count);
    const [answer] = (await answered) as [{ error?: string }];
    if (answer.error !== undefined) throw new Error(answer.error);
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
