import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ShellDesk } from '../../../channels/pages/shell/testing/shell-desk.ts';
import type { Shell } from '../../../channels/pages/shell/testing/shells.ts';

export interface Block {
  /** Who runs it: the one that offers, the one that takes it up, both at once, or each in full on its turn. */
  readonly role: string;
  readonly script: string;
}

/** Every shell block of the page, in order. The word behind `sh` says who runs it. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```sh *(\w*)\n([\s\S]*?)^```$/gm)].map(([, role = '', script = '']) => ({
    role,
    script,
  }));
}

const REFUSAL = /^\{"error":/m;

/** An agent that has nothing but the page and a shell: every block runs in a shell of its own, with a home of its own. */
export class PageReader {
  readonly name: string;
  readonly #desk: ShellDesk;
  readonly #home = mkdtempSync(join(tmpdir(), 'parley-reader-'));

  constructor(shell: Shell, name: string) {
    this.name = name;
    this.#desk = new ShellDesk(shell);
  }

  /** Runs a block as the page shows it, with our name in the place for it; anything that goes wrong is an error. */
  async run({ script }: Pick<Block, 'script'>): Promise<string> {
    const own = `set -eu\n${script.replaceAll('MY_NAME', this.name)}`;
    const { code, stdout, stderr } = await this.#desk.run(own, { HOME: this.#home });
    if (code === 0 && stderr === '' && !REFUSAL.test(stdout)) return stdout;
    throw new Error(`${this.name} ran\n${own}\nwhich ended with ${code}\n${stdout}\n${stderr}`);
  }

  async close(): Promise<void> {
    await this.#desk.close();
    rmSync(this.#home, { recursive: true, force: true });
  }
}
