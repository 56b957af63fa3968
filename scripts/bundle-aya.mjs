// Makes `aya` one file that needs nothing but Node: it goes to machines that have no clone of this. Called by build.mjs.
import { chmod } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (relative) => fileURLToPath(new URL(`../packages/cli/${relative}`, import.meta.url));

export async function bundleAya() {
  const outfile = path('dist/aya.cjs');
  await build({
    entryPoints: [path('src/aya/program.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    banner: { js: '#!/usr/bin/env node' },
    legalComments: 'none',
    conditions: ['source'],
    logLevel: 'silent',
  });
  await chmod(outfile, 0o755);
}
