import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { startServer, type TestServer } from '../../../../testing/start-server.ts';
import { ShellDesk } from './shell-desk.ts';
import { findShells, type Shell } from './shells.ts';

export interface ShellSuite {
  readonly shell: Shell;
  readonly server: TestServer;
  /** A working directory of this name; cleared away after the test. */
  readonly desk: (name: string) => ShellDesk;
}

/** The suite in every shell the scripts promise to work in, with a server of its own. */
export function describeInShells(name: string, suite: (scene: ShellSuite) => void): void {
  describe.each(findShells())(`${name} in $name`, (shell) => {
    let server: TestServer;
    const desks: ShellDesk[] = [];

    beforeAll(async () => {
      server = await startServer({ rateLimits: false });
    });
    afterEach(async () => {
      for (const desk of desks.splice(0)) await desk.close();
    });
    afterAll(() => server.close());

    suite({
      shell,
      get server() {
        return server;
      },
      desk(directory) {
        const made = new ShellDesk(shell, directory);
        desks.push(made);
        return made;
      },
    });
  });
}
