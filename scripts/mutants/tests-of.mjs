import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importsOf } from '../guards/imports.mjs';
import { sources } from '../guards/sources.mjs';

const isTest = (file) => file.endsWith('.test.ts');
const NEAR = 2;
/** So many tests take longer than that of the docs. */
const MANY = 40;
/** What the pages of docs/ are written from: a test fails when they are out of date. */
const WRITES_DOCS = 'scripts/docs/parts.mjs';
const DOCS_TEST = 'scripts/docs.test.ts';

/** One program: its commands are tried by the tests of the whole of it. */
const PROGRAM = /^packages\/cli\//;
/** What others use, and is tested where they do. */
const SHARED = /^packages\/(?:protocol|sdk|web\/src\/shared|server\/src\/(?:wire|operator))\//;

/**
 * Which tests belong to a source, in the order in which they are run: those of its folder and those that import it within
 * two steps, then those of its module, where the server does what goes over the wire, then those of its program, or of the
 * modules that use it, and that of the docs that are written from it. Almost every test reaches almost every source through
 * the server it starts, so that what reaches it says little.
 */
export function testsOf(root) {
  const files = sources(root);
  const importers = new Map();
  for (const file of [...files, WRITES_DOCS]) {
    for (const { to } of importsOf(file, readFileSync(join(root, file), 'utf8'))) {
      const path = pathOf(to);
      if (existsSync(join(root, path))) importers.set(path, [...(importers.get(path) ?? []), file]);
    }
  }
  const tests = files.filter(isTest);
  return (file) => {
    const near = new Set(tests.filter((test) => dirname(test) === dirname(file)));
    let documented = false;
    let step = [file];
    for (let distance = 0; distance < NEAR; distance += 1) {
      step = step.flatMap((path) => importers.get(path) ?? []);
      for (const path of step.filter(isTest)) near.add(path);
      if (step.includes(WRITES_DOCS)) documented = true;
    }
    const users = SHARED.test(file) ? (importers.get(file) ?? []).filter((path) => !isTest(path)) : [];
    const groups = [[...near]];
    for (const folders of [modulesOf(file), [file, ...users].flatMap(widely)]) {
      const known = new Set(groups.flat());
      const isWithin = (test) => folders.some((folder) => test.startsWith(folder));
      groups.push(tests.filter((test) => !known.has(test) && isWithin(test)));
    }
    if (!documented) return groups;
    return near.size > MANY ? [[DOCS_TEST], ...groups] : [...groups, [DOCS_TEST]];
  };
}

const widely = (file) => PROGRAM.exec(file) ?? modulesOf(file);

function modulesOf(file) {
  const module = `${file.split('/').slice(0, 4).join('/')}/`;
  return [module, module.replace('packages/protocol/', 'packages/server/')];
}

function pathOf(to) {
  return to.replace(/^@parley\/([a-z]+)\/(.+)$/, 'packages/$1/src/$2.ts');
}
