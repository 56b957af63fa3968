import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-start-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function node(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code: child.exitCode, stdout, stderr };
}

/** A clone without anything built, whose compiler runs this. */
function freshClone(compiler: string): string {
  const put = (path: string, content: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  put('package.json', '{"type":"module"}');
  put('node_modules/typescript/package.json', '{"type":"module"}');
  put('node_modules/typescript/bin/tsc', compiler);
  put(
    'node_modules/@parley/server/package.json',
    '{"type":"module","exports":{"./main":"./main.js"},"name":"@parley/server"}',
  );
  put(
    'node_modules/@parley/server/main.js',
    'export const serve = (argv) => (console.error(`serves ${argv}`), 7);',
  );
  mkdirSync(join(folder, 'packages/server'), { recursive: true });
  mkdirSync(join(folder, 'scripts'));
  for (const script of ['start', 'node-version', 'build', 'serve']) {
    copyFileSync(join(root, `scripts/${script}.mjs`), join(folder, `scripts/${script}.mjs`));
  }
  return join(folder, 'scripts/start.mjs');
}

const COMPILES =
  "import { mkdirSync, writeFileSync } from 'node:fs';" +
  "mkdirSync('packages/server/dist', { recursive: true }); writeFileSync('packages/server/dist/main.js', '');";

describe('npm start', () => {
  test('says once that it builds, and hands the flags and the exit code on', async () => {
    const script = freshClone(COMPILES);
    const first = await node(script, '--port', '0');
    expect(first).toMatchObject({ code: 7, stdout: '' });
    expect(first.stderr).toMatch(/^parley: building, [^\n]*\nserves --port,0\n$/);
    expect((await node(script)).stderr).toBe('serves \n');
  });

  test('says so before the build, not after it', async () => {
    const failed = await node(freshClone("console.log('no such type'); process.exit(1);"));
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/^parley: building, /);
    expect(failed.stderr).toContain('no such type');
  });

  test('-- --help prints the flags and starts nothing', async () => {
    for (const flag of ['--help', '-h']) {
      const { code, stdout, stderr } = await node(join(root, 'scripts/serve.mjs'), flag);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^ {2}--data-dir +Folder of the embedded store/m);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(['18.20.4', '20.18.3', '16.0.0'])('Node %s gets one sentence', async (version) => {
    const pretend = `globalThis.process = Object.create(process, { versions: { value: { node: '${version}' } } });`;
    const preload = `data:text/javascript,${encodeURIComponent(pretend)}`;
    for (const program of ['scripts/start.mjs', 'packages/cli/bin/parley.mjs']) {
      const { code, stdout, stderr } = await node('--import', preload, join(root, program));
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^parley: this is Node [\d.]+, and Parley needs Node 20\.19 or later [^\n]*\n$/);
      expect(stderr).toContain(version);
    }
  });

  test('the oldest Node is the one package.json asks for, and what it reads first imports no more', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const check = readFileSync(join(root, 'scripts/node-version.mjs'), 'utf8');
    expect(engines.node).toBe(`>=${/OLDEST = \[(\d+), (\d+)\]/.exec(check)?.slice(1).join('.')}`);
    expect(check).not.toMatch(/^import|await|\?\.|\?\?|\|\|=/m);
    for (const program of ['scripts/start.mjs', 'packages/cli/bin/parley.mjs']) {
      const imported = readFileSync(join(root, program), 'utf8').matchAll(/^import .*'(.+)';$/gm);
      for (const [, name = ''] of imported) expect(name).toMatch(/^node:fs$|\/node-version\.mjs$/);
    }
  });

  test('a data folder that cannot be written is told with what to do', async () => {
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'taken/parley.lock-held'), { recursive: true });
    // In the folders of the kernel nobody makes any, whatever they say of themselves.
    const ofTheKernel = process.platform === 'linux' ? ['/proc/none', '/proc/none/deeper', '/proc'] : [];
    for (const place of ['file/data', 'file', 'taken', ...ofTheKernel]) {
      const { code, stderr } = await node(
        join(root, 'scripts/serve.mjs'),
        '--port',
        '0',
        '--data-dir',
        place,
      );
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^parley: the data directory \S+ cannot be written \(E[A-Z]+\): [^\n]*--data-dir or PARLEY_DATA_DIR[^\n]*\n$/,
      );
    }
  });
});

/** As a user who is not its owner. What the superuser runs is not stopped by permissions, so another one runs it then. */
async function asStranger(...args: string[]): Promise<{ code: number | null; stderr: string }> {
  chmodSync(folder, 0o755);
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(process.execPath, args, { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'], ...nobody });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const [stderr] = await Promise.all([text(child.stderr), closed]);
  return { code: child.exitCode, stderr };
}

describe('npm start in a copy that cannot be written', () => {
  afterEach(() => {
    for (const name of ['packages/server/dist', 'packages/server']) {
      if (existsSync(join(folder, name))) chmodSync(join(folder, name), 0o755);
    }
  });

  test('says in one sentence what to do when nothing is built there', async () => {
    const script = freshClone('process.exit(1);');
    chmodSync(join(folder, 'packages/server'), 0o555);
    const { code, stderr } = await asStranger(script);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^parley: \S+ cannot be written \(EACCES\), [^\n]*npm ci && npm start[^\n]*\n$/);
  });

  test('serves what was built there before', async () => {
    const script = freshClone('process.exit(1);');
    mkdirSync(join(folder, 'packages/server/dist'));
    writeFileSync(join(folder, 'packages/server/dist/main.js'), '');
    chmodSync(join(folder, 'packages/server/dist'), 0o555);
    expect(await asStranger(script)).toEqual({ code: 7, stderr: 'serves \n' });
  });
});

describe('what the docs write into the working folder', () => {
  test('is ignored by git', () => {
    const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];
    const written = pages.flatMap((page) => {
      const content = readFileSync(join(root, page), 'utf8');
      const blocks = [...content.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
        .map(([, block = '']) => block)
        .join('\n');
      const files = blocks.matchAll(
        /(?: > |INTO '|^(?:cp|mv)(?: -\w+)* \S+ |parley backup | -f )([\w.-][\w./-]*)/gm,
      );
      const saved = content.matchAll(/[Ss]aved? (?:this )?as `([^`]+)`/g);
      return [...files, ...saved].map(([, name = '']) => name);
    });
    expect(written).toEqual(expect.arrayContaining(['parley.json', 'hello.mjs']));
    spawnSync('git', ['init', '-q', folder]);
    copyFileSync(join(root, '.gitignore'), join(folder, '.gitignore'));
    // With a slash at its end a name is that of a folder.
    const ignored = (name: string): boolean =>
      [name, `${name}/`].some(
        (each) => spawnSync('git', ['check-ignore', '-q', each], { cwd: folder }).status === 0,
      );
    expect(written.filter((name) => !ignored(name))).toEqual([]);
  });
});
