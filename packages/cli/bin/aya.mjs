#!/usr/bin/env node
// Runs the built bridge. In a clone it builds first where that has not been done, so `npx aya` works straight after `npm ci`.
import { existsSync } from 'node:fs';

const here = (path) => new URL(path, import.meta.url);
const built = here('../dist/aya.cjs');
if (existsSync(here('../src/main.ts'))) {
  const { requireNode } = await import('../../../scripts/node-version.mjs');
  requireNode();
  if (!existsSync(built)) {
    const { build } = await import('../../../scripts/build.mjs');
    await build({ quiet: true });
  }
}
await import(built.href);
