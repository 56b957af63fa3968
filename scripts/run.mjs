import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program of node_modules/.bin, showing its output; resolves with its exit code. */
export function run(program, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(`${root}/node_modules/.bin/${program}`, args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    });
    child.on('error', (error) =>
      reject(error.code === 'ENOENT' ? new Error(`${program} is not installed: run npm ci`) : error),
    );
    child.on('close', (code, signal) => resolve(signal ? 1 : code));
  });
}
