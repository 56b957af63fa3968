// `npm run check`: types, lint, format, imports, exports. All of them run, so that one look shows everything that is wrong.
import { pathToFileURL } from 'node:url';
import { guardImports, guardStyles } from './guards.mjs';
import { run } from './run.mjs';

const STEPS = [
  ['types (build)', () => run('tsc', ['-b'])],
  ['types (tests, bench)', () => run('tsc', ['-p', 'tsconfig.test.json', '--noEmit'])],
  ['lint, cycles, length', () => run('oxlint', ['--type-aware', '--deny-warnings', '.'])],
  ['format', () => run('biome', ['format', '.'])],
  ['imports that point up', () => guardImports()],
  ['length of style sheets', () => guardStyles()],
  ['exports nobody uses', () => run('knip', ['--no-progress'])],
];

export async function check() {
  let failed = 0;
  for (const [name, step] of STEPS) {
    const code = await step();
    process.stdout.write(`check: ${String(name)} ${code === 0 ? 'ok' : 'FAILED'}\n`);
    failed ||= code;
  }
  return failed;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await check();
