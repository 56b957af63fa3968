import { spawnSync } from 'node:child_process';
import { accessSync, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program of this name is; installed from Debian's packages where it is missing and may be. */
export function findOrInstall(
  program: string,
  debianPackage: string,
): { program: string } | { missing: string } {
  const found = findProgram(program);
  if (found) return { program: found };
  try {
    installPackage(debianPackage);
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
  const installed = findProgram(program);
  return installed ? { program: installed } : { missing: `${debianPackage} brought no ${program}` };
}

export function installPackage(name: string): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(`${name} is not installed, and only root on Debian can install it here`);
  }
  // Nothing is to run by itself because it was installed.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const apt = (...args: string[]) => spawnSync('apt-get', args, { env, encoding: 'utf8' });
  const install = () => apt('install', '-y', '--no-install-recommends', name);
  if (install().status === 0) return;
  apt('update');
  const again = install();
  if (again.status !== 0) throw new Error(`apt-get could not install ${name}: ${again.stderr.trim()}`);
}

export function isExecutable(folder: string, name: string): boolean {
  try {
    accessSync(join(folder, name), 1);
    return true;
  } catch {
    return false;
  }
}

function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  const folder = folders.find((each) => isExecutable(each, name));
  return folder && join(folder, name);
}
