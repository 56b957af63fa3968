#!/usr/bin/env node
// In a clone: runs the built CLI, and builds first where that has not been done, so `npx parley` works straight after `npm ci`.
// Installed from a package there is no clone around it: runs the one file that the package holds.
import { existsSync } from 'node:fs';

const here = (path) => new URL(path, import.meta.url);
if (existsSync(here('../src/main.ts'))) {
  const { requireNode } = await import('../../../scripts/node-version.mjs');
  requireNode();
  const built = here('../dist/main.js');
  if (!existsSync(built) || !existsSync(here('../../server/dist/bundle/main.js'))) {
    const { build } = await import('../../../scripts/build.mjs');
    await build({ quiet: true });
  }
  const { run } = await import(built.href);
  process.exitCode = await run(process.argv.slice(2));
} else {
  await import('../dist/cli.mjs');
}
