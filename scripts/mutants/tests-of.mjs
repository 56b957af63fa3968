import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importsOf } from '../guards/imports.mjs';
import { sources } from '../guards/sources.mjs';

const isTest = (file) => file.endsWith('.test.ts');
const NEAR = 2;
/** So many tests take long. */
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
 * modules that share it, those beside sources of other modules that use it, and that of the docs that are written from it.
 * Almost every test reaches almost every source through the server it starts, so that what reaches it says little.
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
    const users = new Set();
    let step = [file];
    for (let distance = 0; distance < NEAR; distance += 1) {
      step = step.flatMap((path) => importers.get(path) ?? []);
      for (const path of step.filter(isTest)) near.add(path);
      for (const path of step.filter((other) => !isTest(other))) users.add(path);
    }
    const direct = (importers.get(file) ?? []).filter((path) => !isTest(path));
    const module = modulesOf(file);
    const groups = [[...near]];
    const within = (folders) => {
      const known = new Set(groups.flat());
      return tests.filter((test) => !known.has(test) && isWithin(test, folders));
    };
    groups.push(within(module));
    groups.push(within([file, ...(SHARED.test(file) ? direct : [])].flatMap(widely)));
    // What everybody uses is not looked for where everybody is.
    const beside = [[...users], direct].map((paths) =>
      within(paths.filter((path) => !isWithin(path, module)).flatMap(besideOf)),
    );
    groups.push(beside.find(({ length }) => length <= MANY) ?? []);
    if (!users.has(WRITES_DOCS)) return groups;
    return near.size > MANY ? [[DOCS_TEST], ...groups] : [...groups, [DOCS_TEST]];
  };
}

const widely = (file) => PROGRAM.exec(file) ?? modulesOf(file);

const isWithin = (path, folders) => folders.some((folder) => path.startsWith(folder));

/** Where the tests of a source are: in its folder, and of one that stands above all modules under its name. */
function besideOf(file) {
  if (!file.startsWith('packages/')) return [];
  return file.split('/').length === 4 ? [file.replace(/ts$/, 'test.ts')] : [`${dirname(file)}/`];
}

function modulesOf(file) {
  const module = `${file.split('/').slice(0, 4).join('/')}/`;
  return [module, module.replace('packages/protocol/', 'packages/server/')];
}

function pathOf(to) {
  return to.replace(/^@parley\/([a-z]+)\/(.+)$/, 'packages/$1/src/$2.ts');
}
