#!/usr/bin/env node
// Runs the built CLI; in a fresh clone it builds first, so `npx parley` works straight after `npm ci`.
import { existsSync } from 'node:fs';
import { requireNode } from '../../../scripts/node-version.mjs';

requireNode();
const built = new URL('../dist/main.js', import.meta.url);
const server = new URL('../../server/dist/bundle/main.js', import.meta.url);
if (!existsSync(built) || !existsSync(server)) {
  const { build } = await import('../../../scripts/build.mjs');
  await build({ quiet: true });
}
const { run } = await import(built.href);
process.exitCode = await run(process.argv.slice(2));
