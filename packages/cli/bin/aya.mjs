#!/usr/bin/env node
// Runs the built bridge; in a fresh clone it builds first, so `npx aya` works straight after `npm ci`.
import { existsSync } from 'node:fs';
import { requireNode } from '../../../scripts/node-version.mjs';

requireNode();
const built = new URL('../dist/aya.cjs', import.meta.url);
if (!existsSync(built)) {
  const { build } = await import('../../../scripts/build.mjs');
  await build({ quiet: true });
}
await import(built.href);
