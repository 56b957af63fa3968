import { EXIT } from './cli-error.ts';

const AFTER_MS = 1_000;
const EVERY_MS = 100;
const FRAMES = {
  wide: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  plain: ['|', '/', '-', '\\'],
};
const ERASE = '\r\u001b[K';

/** They last until they are stopped, print what comes, or talk with the one at the terminal. */
const BY_THEMSELVES =
  /^(?:serve|mcp|hook|work|login|completion|__complete|room watch|channel (?:chat|listen)|bridge run)$/;

/**
 * A sign on standard error that something goes on, only on a terminal and for what takes over a second. Whatever is printed takes its
 * place, and while a question is open there is none.
 */
export class Progress {
  readonly #undo: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #begun = 0;
  #shown = false;

  /** `name`: of the command, without the program's. */
  begin(name: string, { follow }: { follow?: unknown }): void {
    if (!process.stderr.isTTY || process.env['TERM'] === 'dumb') return;
    if (this.#timer || follow === true || BY_THEMSELVES.test(name)) return;
    this.#begun = performance.now();
    this.#timer = setInterval(() => this.#show(name), EVERY_MS);
    // A command that is done is not kept from ending.
    this.#timer.unref();
    for (const stream of [process.stdout, process.stderr]) this.#undo.push(this.#erasedBefore(stream));
    process.once('SIGINT', this.#interrupted);
    this.#undo.push(() => process.off('SIGINT', this.#interrupted));
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#erase();
    for (const undo of this.#undo.splice(0)) undo();
  }

  #show(name: string): void {
    const lasted = performance.now() - this.#begun;
    if (lasted < AFTER_MS || isAsking()) return;
    this.#erase();
    const frames = /utf-?8/i.test(localeOf(process.env)) ? FRAMES.wide : FRAMES.plain;
    const frame = frames[Math.floor(lasted / EVERY_MS) % frames.length] ?? '';
    process.stderr.write(`${frame} ${name} … ${Math.floor(lasted / 1_000)} s`);
    this.#shown = true;
  }

  #erase(): void {
    if (!this.#shown) return;
    this.#shown = false;
    process.stderr.write(ERASE);
  }

  #erasedBefore(stream: NodeJS.WriteStream): () => void {
    const before = Object.getOwnPropertyDescriptor(stream, 'write');
    const write = stream.write.bind(stream);
    const value = (...given: Parameters<typeof write>): boolean => {
      this.#erase();
      return write(...given);
    };
    Object.defineProperty(stream, 'write', { value, configurable: true, writable: true });
    return () => {
      if (before) Object.defineProperty(stream, 'write', before);
      else Reflect.deleteProperty(stream, 'write');
    };
  }

  readonly #interrupted = (): void => {
    this.end();
    process.exit(EXIT.interrupted);
  };
}

/** Somebody listens to what is typed. */
function isAsking(): boolean {
  const { stdin } = process;
  return stdin.isTTY && ['data', 'readable', 'keypress'].some((event) => stdin.listenerCount(event) > 0);
}

const localeOf = ({ LC_ALL: all, LC_CTYPE: type, LANG: lang }: NodeJS.ProcessEnv): string =>
  all || type || lang || '';
