import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledOf } from './compiled.mjs';

const BUNDLES = `
  await (await import('./scripts/bundle-server.mjs')).bundleServer();
  await (await import('./scripts/bundle-aya.mjs')).bundleAya();
  await (await import('./scripts/bundle-cli.mjs')).bundleCli();`;
const PAGES = `await (await import('./packages/web/bundle.mjs')).bundle();`;
/** What runs in browsers, and in the served shell helpers. */
const ON_PAGES = /^packages\/(?:web|sdk|protocol)\//;

/**
 * Puts a source as it is now into what was built of it: many tests start programs, and those run what was built. Whether it
 * can be. Its types are not looked at: what the compiler notices says nothing about the tests.
 */
export async function rebuild(root, file) {
  const compiled = join(root, file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'));
  if (existsSync(compiled)) writeFileSync(compiled, await compiledOf(readFileSync(join(root, file), 'utf8')));
  const program = ON_PAGES.test(file) ? BUNDLES + PAGES : BUNDLES;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    stdio: 'ignore',
  });
  return (await new Promise((resolve) => child.on('close', resolve))) === 0;
}
