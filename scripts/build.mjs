// Compiles the workspace (tsc -b) and bundles the server, the bridge `aya`, and the programs that leave the server as text: the
// scripts of its pages and the node program inside the served shell helpers.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = new URL('..', import.meta.url);
const path = (relative) => fileURLToPath(new URL(relative, root));

/** What stands in the way of a build in words for whoever runs it, instead of a stack. */
export class BuildError extends Error {}

/** A copy that cannot be written serves what was built in it before. */
export async function build({ quiet = false } = {}) {
  const built = existsSync(path('packages/server/dist/main.js'));
  const readOnly = whyReadOnly(built ? 'packages/server/dist' : 'packages/server');
  if (readOnly !== undefined) {
    if (built) return;
    throw new BuildError(
      `${path('.')} cannot be written (${readOnly}), so nothing can be built in it: ` +
        'run npm ci && npm start in a copy that you may write, or build here first as a user who may',
    );
  }
  // Later builds take a moment; the first one would pass for a program that hangs.
  if (!built) {
    process.stderr.write('parley: building, which takes up to a minute the first time …\n');
  }
  const tsc = spawnSync(process.execPath, [path('node_modules/typescript/bin/tsc'), '-b'], {
    cwd: path('.'),
    encoding: 'utf8',
  });
  if (tsc.status !== 0) throw new BuildError(`tsc -b failed\n${tsc.stdout}${tsc.stderr}`);
  const bundles = new URL('packages/web/bundle.mjs', root);
  if (existsSync(bundles)) await (await import(bundles.href)).bundle();
  if (existsSync(path('scripts/bundle-server.mjs')))
    await (await import('./bundle-server.mjs')).bundleServer();
  if (existsSync(path('scripts/bundle-aya.mjs'))) await (await import('./bundle-aya.mjs')).bundleAya();
  if (existsSync(path('scripts/bundle-cli.mjs'))) await (await import('./bundle-cli.mjs')).bundleCli();
  if (!quiet) process.stdout.write('built\n');
}

function whyReadOnly(folder) {
  try {
    accessSync(path(folder), constants.W_OK);
    return undefined;
  } catch (error) {
    return error.code;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await build();
