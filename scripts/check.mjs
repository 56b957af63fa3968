// `npm run check`: types, lint, format. All of them run, so that one look shows everything that is wrong.
import { pathToFileURL } from 'node:url';
import { run } from './run.mjs';

const STEPS = [
  ['types (build)', 'tsc', ['-b']],
  ['types (tests, bench)', 'tsc', ['-p', 'tsconfig.test.json', '--noEmit']],
  ['lint', 'oxlint', ['--type-aware', '--deny-warnings', '.']],
  ['format', 'biome', ['format', '.']],
];

export async function check() {
  let failed = 0;
  for (const [name, program, args] of STEPS) {
    const code = await run(program, args);
    process.stdout.write(`check: ${String(name)} ${code === 0 ? 'ok' : 'FAILED'}\n`);
    failed ||= code;
  }
  return failed;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await check();
