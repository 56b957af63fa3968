import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

interface Change {
  start: number;
  end: number;
  with: string;
}
// The scripts are plain JavaScript; these are the parts of them that can be wrong in silence.
const part = async <Shape>(name: string) => (await import(`./mutants/${name}.mjs`)) as Shape;
const { mutationsOf } = await part<{ mutationsOf: (text: string) => Change[] }>('mutations');
const { randomOf } = await part<{ randomOf: (seed: number) => (below: number) => number }>('random');

const { compiledOf } = await part<{ compiledOf: (text: string) => Promise<string> }>('compiled');
const { testsOf } = await part<{ testsOf: (root: string) => (file: string) => string[][] }>('tests-of');

const draw = (seed: number): number[] => {
  const random = randomOf(seed);
  return Array.from({ length: 20 }, () => random(1000));
};
const changed = (text: string): string[] =>
  mutationsOf(text).map((change) => text.slice(0, change.start) + change.with + text.slice(change.end));

describe('mutants', () => {
  test('turn comparisons, arithmetic, logic, conditions and constants', () => {
    expect(changed('const a = b === c;')).toEqual(['const a = b !== c;']);
    expect(changed('const a = b <= c;')).toEqual(['const a = b < c;']);
    expect(changed('const a = b + c;')).toEqual(['const a = b - c;']);
    expect(changed('const a = b && c;')).toEqual(['const a = b || c;']);
    expect(changed('const a = true;')).toEqual(['const a = false;']);
    expect(changed('const a = 1_000;')).toEqual(['const a = 1001;']);
    expect(changed('if (a) b;')).toEqual(['if (!(a)) b;']);
    expect(changed('const a = b ? c : d;')).toEqual(['const a = !(b) ? c : d;']);
  });

  test('leave the size of a sign alone', () => {
    expect(changed('a.sort((b, c) => (b < c ? 1 : -1));')).toEqual([
      ';',
      'a.sort((b, c) => (!(b < c) ? 1 : -1));',
      'a.sort((b, c) => (b <= c ? 1 : -1));',
    ]);
  });

  test('leave out what is done and what is thrown', () => {
    expect(changed('await a();')).toEqual([';']);
    expect(changed('a.b = c;')).toEqual([';']);
    expect(changed('throw a;')).toEqual([';']);
  });

  test('leave types alone, but not what they are said of', () => {
    expect(changed("type A = 1 | true; interface B { c: 2 }\nimport type { D } from './d.ts';")).toEqual([]);
    expect(changed('const a = (b === c) as boolean;')).toEqual(['const a = (b !== c) as boolean;']);
  });

  test('are in what was built, which is what programs run that tests start', async () => {
    const made = await compiledOf(
      "import { a } from './a.ts';\nimport type { B } from './b.ts';\nimport './c.ts';\n" +
        "export const d = async (b: B): Promise<number> => a(b, (await import('../d/e.ts')).e);\nexport * from '@parley/sdk/f';\n",
    );
    expect(made.match(/"[^"]+"/g)).toEqual(['"./a.js"', '"./c.js"', '"../d/e.js"', '"@parley/sdk/f"']);
    expect(made).not.toContain('Promise<');
  });

  test('are looked for by the tests beside them, then by those of the module, then by those of who uses them', () => {
    const belonging = testsOf(fileURLToPath(new URL('..', import.meta.url)));
    const [near, module, others] = belonging('packages/cli/src/daemon/adapters/tellers.ts');
    expect(near).toEqual(['packages/cli/src/daemon/adapters/adapters.test.ts']);
    expect(module).toContain('packages/cli/src/daemon/safety.test.ts');
    expect(others).toContain('packages/cli/src/journey.test.ts');
    expect(others).not.toContain('packages/cli/src/daemon/safety.test.ts');
    for (const [file, belongs] of [
      ['packages/cli/src/message/send.ts', 'packages/cli/src/journey.test.ts'],
      ['packages/protocol/src/rooms/limits.ts', 'packages/server/src/rooms/listings/listings.test.ts'],
      ['packages/server/src/operator/copy-to-postgres.ts', 'packages/cli/src/postgres-store.test.ts'],
      ['packages/server/src/config/delivery-settings.ts', 'scripts/docs.test.ts'],
      ['packages/server/src/schedule/taken-item.ts', 'packages/server/src/memory-folders.test.ts'],
      ['packages/web/src/shared/dom.ts', 'packages/web/src/room-viewer/live.test.ts'],
    ] as const) {
      expect(belonging(file).flat()).toContain(belongs);
    }
  });

  test('are the same for the same seed', () => {
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(new Set(draw(7)).size).toBeGreaterThan(10);
  });
});
