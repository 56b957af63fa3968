import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export interface Shell {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

/** The shells the served scripts promise to work in, as far as this machine has them; says which it has not. */
export function findShells(): Shell[] {
  return (found ??= lookForShells());
}

let found: Shell[] | undefined;

function lookForShells(): Shell[] {
  const shells: Shell[] = [{ name: 'bash', command: ['bash', '--norc', '--noprofile'] }];
  const zsh = pathOf('zsh') ?? installZsh();
  if (zsh) shells.push({ name: 'zsh', command: [zsh, '-f'] });
  else
    process.stderr.write(
      'shell tests: zsh was not found and could not be installed; nothing is run in zsh\n',
    );
  const oldBash = process.env.TEST_BASH_3_2 ?? pathOf('bash-3.2') ?? pathOf('bash3.2');
  if (oldBash) shells.push({ name: 'bash 3.2', command: [oldBash, '--norc', '--noprofile'] });
  else
    process.stderr.write('shell tests: no bash 3.2 here (TEST_BASH_3_2 names one); nothing is run in it\n');
  return shells;
}

function pathOf(program: string): string | undefined {
  const { status, stdout } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function installZsh(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return undefined;
  spawnSync('sh', ['-c', 'apt-get update -qq; apt-get install -y --no-install-recommends zsh'], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return pathOf('zsh');
}
