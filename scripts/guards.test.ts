import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SERVER = 'packages/server/src';

const planted: string[] = [];
afterEach(() => {
  for (const folder of planted.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A small repository under the rules of this one. */
function plant(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-guards-'));
  planted.push(folder);
  const packages = ['protocol', 'sdk', 'web', 'server', 'cli'].map((name) => [
    `packages/${name}/package.json`,
    JSON.stringify({ name: `@parley/${name}`, type: 'module' }),
  ]);
  const whole: Record<string, string> = {
    'package.json': JSON.stringify({ type: 'module', workspaces: ['packages/*'] }),
    ...Object.fromEntries(packages),
    ...files,
  };
  for (const [path, text] of Object.entries(whole)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const rules of ['.oxlintrc.json', 'knip.json']) copyFileSync(join(ROOT, rules), join(folder, rules));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function run(program: string, args: readonly string[], cwd: string): { code: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  return { code: status, said: stdout + stderr };
}

const lint = (files: Record<string, string>) =>
  run(join(ROOT, 'node_modules/.bin/oxlint'), ['--deny-warnings', '.'], plant(files));
const imports = (files: Record<string, string>) =>
  run(process.execPath, [join(ROOT, 'scripts/guards.mjs'), plant(files)], ROOT);
const exported = (files: Record<string, string>) =>
  run(join(ROOT, 'node_modules/.bin/knip'), ['--no-progress', '--no-config-hints'], plant(files));

const cli = (text: string) => imports({ 'packages/cli/src/x.ts': text }).code;

const uses = (path: string): string => `import { it } from '${path}';\nit();\n`;

describe('guards › lint', () => {
  test('reports a cycle, also one of types only', () => {
    const { code, said } = lint({
      [`${SERVER}/a.ts`]: "import type { B } from './b.ts';\nexport interface A {\n  b: B;\n}\n",
      [`${SERVER}/b.ts`]: "import type { A } from './a.ts';\nexport interface B {\n  a: A;\n}\n",
    });
    expect(said).toContain('Dependency cycle detected');
    expect(code).toBe(1);
  });

  test('reports a source of more than 300 lines', () => {
    const long = (lines: number): string =>
      'export const line = 1;\n'.repeat(lines).replaceAll('line', () => `l${n++}`);
    let n = 0;
    const { code, said } = lint({ [`${SERVER}/long.ts`]: long(301), [`${SERVER}/short.ts`]: long(300) });
    expect(said).toMatch(/long\.ts/);
    expect(said).not.toMatch(/short\.ts/);
    expect(code).toBe(1);
  });

  test.each([
    ['it() instead of test()', "import { expect, it } from 'vitest';\nit('x', () => expect(1).toBe(1));\n"],
    [
      'a test that only reads what was told',
      "import { test } from 'vitest';\ntest('x', () => {\n  console.told();\n});\n",
    ],
    [
      'a test that expects nothing',
      "import { test } from 'vitest';\ntest('x', () => {\n  JSON.parse('1');\n});\n",
    ],
  ])('reports %s', (_what, text) => {
    expect(lint({ [`${SERVER}/x.test.ts`]: text }).code).toBe(1);
  });

  test('lets a clean tree pass', () => {
    const { code, said } = lint({
      [`${SERVER}/a.ts`]: uses('./b.ts'),
      [`${SERVER}/b.ts`]: 'export const it = (): void => undefined;\n',
      [`${SERVER}/b.test.ts`]:
        "import { expect, test } from 'vitest';\ntest('x', () => {\n  expect(1).toBe(1);\n});\n",
    });
    expect({ code, said }).toMatchObject({ code: 0 });
  });
});

describe('guards › imports', () => {
  test.each([
    ['platform/clock.ts', '../rooms/rooms.ts', 'platform/ may not know rooms/'],
    ['platform/clock.ts', '../wire/caller.ts', 'platform/ may not know wire/'],
    ['wire/caller.ts', '../identity/service.ts', 'wire/ may not know identity/'],
    ['config/load.ts', '../continuity/memory-context.ts', 'config/ may not know continuity/'],
    ['config/load.ts', '../wire/caller.ts', 'config/ may not know wire/'],
    ['identity/service.ts', '../delivery/agents.ts', 'identity/ may not know delivery/'],
    ['rooms/room/room.ts', '../../continuity/service.ts', 'rooms/ may not know continuity/'],
    ['rooms/routes.ts', '../context.ts', 'rooms/ may not know context.ts'],
    ['rooms/room/room.ts', '../../identity/keys/key-store.ts', 'what identity/ stores is its own'],
    ['delivery/agents.ts', '../identity/migrations.ts', 'what identity/ stores is its own'],
    ['rooms/room/room.ts', '../../delivery/records/message-row.ts', 'what delivery/ stores is its own'],
    ['knowledge/files.ts', '../continuity/artifacts/artifact-table.ts', 'what continuity/ stores is its own'],
    ['knowledge/files.ts', '../continuity/retention/cold-rows.ts', 'what continuity/ stores is its own'],
    ['context.ts', './rooms/room/room-store.ts', 'what rooms/ stores is its own'],
    ['rooms/room/room.ts', '../testing/room-client.ts', 'a source imports what is for tests'],
    ['rooms/room/room.ts', '@parley/sdk/channels', 'server may not know sdk'],
    ['platform/clock.ts', '@parley/protocol/rooms/limits', 'platform/ may not know the protocol of rooms/'],
  ])('reports %s that imports %s', (from, to, why) => {
    const { code, said } = imports({ [`${SERVER}/${from}`]: `// a line\n${uses(to)}` });
    expect(said).toContain(`${SERVER}/${from}:2 imports`);
    expect(said).toContain(why);
    expect(code).toBe(1);
  });

  test('reports a view of the pages that knows the server', () => {
    const { code, said } = imports({ 'packages/web/src/console/x.tsx': uses('@parley/server/main') });
    expect(said).toContain('web may not know server');
    expect(code).toBe(1);
  });

  test('reports imports of types, re-exports and lazy ones', () => {
    for (const text of [
      "import type { R } from '../rooms/rooms.ts';\nexport type S = R;\n",
      "import {\n  r,\n} from '../rooms/rooms.ts';\nr();\n",
      "export * from '../rooms/rooms.ts';\n",
      "export const r = () => import('../rooms/rooms.ts');\n",
    ]) {
      expect(imports({ [`${SERVER}/platform/x.ts`]: text }).code).toBe(1);
    }
  });

  test('lets the command line load the server only where it needs it', () => {
    expect(cli("export const s = () => import('@parley/server/main');\n")).toBe(0);
    expect(
      cli("import type { Config } from '@parley/server/config/settings';\nexport type C = Config;\n"),
    ).toBe(0);
    expect(cli(uses('@parley/server/main'))).toBe(1);
  });

  test.each([
    ['platform.ts', './config/settings.ts'],
    ['platform/http/route-table.ts', '@parley/protocol/route'],
    ['platform/http/service-routes.ts', '@parley/protocol/service/routes'],
    ['wire/caller.ts', '@parley/protocol/identity/credentials'],
    ['identity/service.ts', '../platform.ts'],
    ['delivery/agents.ts', '../identity/agents/agents.ts'],
    ['rooms/migrations.ts', '../platform/database/migrations.ts'],
    ['rooms/room/room.ts', './room-store.ts'],
    ['context.ts', './rooms/migrations.ts'],
    ['rooms/room/room.test.ts', '../../continuity/artifacts/artifact-store.ts'],
  ])('lets %s import %s', (from, to) => {
    expect(imports({ [`${SERVER}/${from}`]: uses(to) })).toEqual({ code: 0, said: '' });
  });
});

describe('guards › style sheets', () => {
  test('reports one of more than 300 lines', () => {
    const { code, said } = imports({
      'packages/web/src/long.css': 'a {\n}\n\n'.repeat(101),
      'packages/web/src/short.css': 'a {\n}\n\n'.repeat(100),
    });
    expect({ code, said }).toEqual({
      code: 1,
      said: 'packages/web/src/long.css has 303 lines of at most 300\n',
    });
  });
});

describe('guards › exports', () => {
  test('reports one that nobody imports', () => {
    const { code, said } = exported({
      [`${SERVER}/main.ts`]: uses('./b.ts'),
      [`${SERVER}/b.ts`]: 'export const it = () => undefined;\nexport const lonely = () => undefined;\n',
    });
    expect(said).toContain('lonely');
    expect(said).not.toMatch(/^it\b/m);
    expect(code).toBe(1);
  });
});
