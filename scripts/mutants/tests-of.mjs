import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importsOf } from '../guards/imports.mjs';
import { sources } from '../guards/sources.mjs';

const isTest = (file) => file.endsWith('.test.ts');
const NEAR = 2;

/**
 * Which tests belong to a source: `near` are those of its folder and those that import it within two steps, `rest` are
 * those of its whole module; what goes over the wire is tested where the server does it. Almost every test reaches almost every source through the server it starts, so that
 * what reaches it says little.
 */
export function testsOf(root) {
  const files = sources(root);
  const importers = new Map();
  for (const file of files) {
    for (const { to } of importsOf(file, readFileSync(join(root, file), 'utf8'))) {
      const path = pathOf(to);
      if (existsSync(join(root, path))) importers.set(path, [...(importers.get(path) ?? []), file]);
    }
  }
  const tests = files.filter(isTest);
  return (file) => {
    const near = new Set(tests.filter((test) => dirname(test) === dirname(file)));
    let step = [file];
    for (let distance = 0; distance < NEAR; distance += 1) {
      step = step.flatMap((path) => importers.get(path) ?? []);
      for (const path of step.filter(isTest)) near.add(path);
    }
    const module = `${file.split('/').slice(0, 4).join('/')}/`;
    const served = module.replace('packages/protocol/', 'packages/server/');
    const rest = tests.filter(
      (test) => (test.startsWith(module) || test.startsWith(served)) && !near.has(test),
    );
    return { near: [...near], rest };
  };
}

function pathOf(to) {
  return to.replace(/^@parley\/([a-z]+)\/(.+)$/, 'packages/$1/src/$2.ts');
}
