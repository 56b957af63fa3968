// `npm run mutants -- 40`: makes small random changes to the sources, one at a time, and runs the tests that belong to
// the changed file. A change that no test notices is printed: that line can be wrong without anybody knowing.
//
//   npm run mutants -- 40                         forty changes, anywhere
//   npm run mutants -- 10 packages/server/src/rooms   ten, below a folder
//   npm run mutants -- 10 --seed 7                the same ten again
//
// It works in a copy, so the tree it is started in is never changed. Ends with the share that was noticed.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { sources } from './guards/sources.mjs';
import { rebuild } from './mutants/built.mjs';
import { mutationsOf } from './mutants/mutations.mjs';
import { randomOf } from './mutants/random.mjs';
import { failureOf } from './mutants/run-tests.mjs';
import { testsOf } from './mutants/tests-of.mjs';
import { root } from './run.mjs';

const { count, seed, below } = options(process.argv.slice(2));
// What cannot be built as it stands would be noticed by every change.
await build({ quiet: true });
const copy = copyOf(root);
process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const random = randomOf(seed);
const belonging = testsOf(copy);
const files = sources(copy).filter(
  (file) => file.startsWith(below) && file.endsWith('.ts') && !/\.test\.ts$|\/testing\/|\.d\.ts$/.test(file),
);
process.stdout.write(`${count} changes below ${below}, seed ${seed}\n`);

const survivors = [];
for (let made = 0; made < count; made += 1) {
  const { file, change } = pick();
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.slice(0, change.start) + change.with + text.slice(change.end));
  let failure = (await rebuild(copy, file)) ? undefined : 'the build';
  for (const tests of belonging(file)) failure ??= await failureOf(copy, tests);
  writeFileSync(path, text);
  await rebuild(copy, file);
  const line = text.slice(0, change.start).split('\n').length;
  const what = `${file}:${line}  ${oneLine(text.slice(change.start, change.end))}  →  ${oneLine(change.with)}`;
  process.stdout.write(failure ? `noticed   ${what}\n          by ${failure}\n` : `SURVIVED  ${what}\n`);
  if (!failure) survivors.push(what);
}

const share = Math.round((100 * (count - survivors.length)) / count);
process.stdout.write(`\n${count - survivors.length} of ${count} noticed (${share} %)\n`);
for (const what of survivors) process.stdout.write(`  ${what}\n`);

/** A line of code is as likely as any other: long files are chosen more often. */
function pick() {
  for (;;) {
    const file = files[random(files.length)];
    const changes = mutationsOf(readFileSync(join(copy, file), 'utf8'));
    if (changes.length > random(40)) return { file, change: changes[random(changes.length)] };
  }
}

function options(args) {
  const at = args.indexOf('--seed');
  const given = at < 0 ? undefined : Number(args.splice(at, 2)[1]);
  const [number = '20', folder = 'packages/'] = args;
  return { count: Number(number), seed: given ?? Math.floor(Math.random() * 1_000_000), below: folder };
}

/** The tree as it stands, the installed packages by links; our own packages are those of the copy. */
function copyOf(from) {
  const to = mkdtempSync(join(tmpdir(), 'parley-mutants-'));
  const skipped = new Set(['.git', 'node_modules', 'test-results']);
  for (const name of readdirSync(from)) {
    if (!skipped.has(name)) cpSync(join(from, name), join(to, name), { recursive: true });
  }
  const modules = join(to, 'node_modules');
  mkdirSync(join(modules, '@parley'), { recursive: true });
  for (const name of readdirSync(join(from, 'node_modules'))) {
    if (name !== '@parley') symlinkSync(join(from, 'node_modules', name), join(modules, name));
  }
  for (const name of readdirSync(join(from, 'packages'))) {
    symlinkSync(join(to, 'packages', name), join(modules, '@parley', name));
  }
  return to;
}

function oneLine(text) {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > 60 ? `${flat.slice(0, 57)}...` : flat || '(nothing)';
}
