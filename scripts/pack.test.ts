import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describeInBrowser, sharedBrowser } from '@parley/server/testing/browser';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const here = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

const PROGRAM = `
import { Parley } from '@parley/sdk/parley';
import { RoomsError } from '@parley/sdk/rooms/rooms-error';

const server = { server: process.argv[2] ?? '' };
const { parley: host } = await Parley.register(server, { name: 'Host' });
const { parley: guest } = await Parley.register(server, { name: 'Guest' });
const { id, room_id: room } = await host.rooms.offer({ topic: 'Tides' });
await guest.rooms.take(id);
await host.rooms.say(room, 'When is high water?');
for await (const event of guest.rooms.events(room)) if (event.type === 'message.created') break;
try {
  await host.rooms.say(room, 'And low water?');
} catch (error) {
  console.log(error instanceof RoomsError && error.code);
}
`;

/** Wrong on purpose: each line that a compiler must not let pass. */
const WRONG = `
import { Parley } from '@parley/sdk/parley';
const parley = new Parley({ server: 'http://127.0.0.1:7330', key: 'k' });
// @ts-expect-error a topic is a text
await parley.rooms.offer({ topic: 5 });
// @ts-expect-error no answer has such a member
(await parley.messages.read('m')).nonsense;
const state: string = (await parley.messages.read('m')).delivery_state;
for await (const event of parley.rooms.wakes()) if (event.type === 'room.turn_ready') event.delivery_id satisfies string;
export { state };
`;

describe('the tarball of the SDK', () => {
  const project = mkdtempSync(join(tmpdir(), 'parley-consumer-'));
  let server: TestServer;

  const run = async (program: string, ...given: string[]): Promise<string> =>
    (await promisify(execFile)(program, given, { cwd: project })).stdout;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    const packed = await run(process.execPath, here('scripts/pack.mjs'), 'sdk', project);
    writeFileSync(join(project, 'package.json'), '{"type":"module","private":true}');
    // What others publish is taken from here: a test asks nobody on the net.
    const quietly = ['--offline', '--no-audit', '--no-fund'];
    await run('npm', 'install', ...quietly, packed.trim(), here('node_modules/zod'));
    writeFileSync(join(project, 'program.ts'), PROGRAM);
    writeFileSync(join(project, 'wrong.ts'), WRONG);
  });
  afterAll(async () => {
    await server.close();
    rmSync(project, { recursive: true, force: true });
  });

  test('names nothing that is not published', () => {
    const { dependencies } = JSON.parse(
      readFileSync(join(project, 'node_modules/@parley/sdk/package.json'), 'utf8'),
    ) as { dependencies: object };
    expect(Object.keys(dependencies)).toEqual(['zod']);
  });

  test('runs in an empty project', async () => {
    await build({
      entryPoints: [join(project, 'program.ts')],
      outfile: join(project, 'program.js'),
      packages: 'external',
      bundle: true,
      format: 'esm',
    });
    expect(await run(process.execPath, 'program.js', server.url)).toBe('turn_mismatch\n');
  });

  test('has types that hold', async () => {
    const strict = ['--strict', '--noEmit', '--target', 'es2023', '--lib', 'es2023,dom,dom.asynciterable'];
    const found = ['--module', 'nodenext', '--types', 'node'];
    const types = ['--typeRoots', here('node_modules/@types')];
    const told = await run(
      process.execPath,
      here('node_modules/typescript/bin/tsc'),
      ...strict,
      ...found,
      ...types,
      'program.ts',
      'wrong.ts',
    );
    expect(told).toBe('');
  });

  describeInBrowser('in a browser', () => {
    test('needs nothing but what browsers have', async () => {
      const { outputFiles } = await build({
        stdin: {
          contents:
            "export { Parley } from '@parley/sdk/parley'; export { channels } from '@parley/sdk/channels';",
          resolveDir: project,
        },
        bundle: true,
        write: false,
        platform: 'browser',
        format: 'iife',
        globalName: 'sdk',
        minify: true,
        logLevel: 'silent',
      });
      const context = await (await sharedBrowser()).newContext({ bypassCSP: true });
      try {
        const page = await context.newPage();
        await page.goto(server.url);
        await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
        const seen = await page.evaluate(async () => {
          const { Parley, channels } = (globalThis as unknown as { sdk: Sdk }).sdk;
          const { parley } = await Parley.register({ server: location.origin }, { name: 'Page' });
          const { session } = await channels.create({ server: location.origin, name: 'page' });
          const { peer_id: peer } = await parley.whoAmI();
          const wakes = parley.rooms.wakes();
          const { value } = await wakes.next();
          await wakes.return(undefined);
          await session.leave();
          return [peer, value?.type, session.name];
        });
        expect(seen).toEqual(['page', 'stream.hello', 'page']);
      } finally {
        await context.close();
      }
    });
  });
});

interface Sdk {
  readonly Parley: typeof import('@parley/sdk/parley').Parley;
  readonly channels: typeof import('@parley/sdk/channels').channels;
}
