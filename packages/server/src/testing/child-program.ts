import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type PluginBuild } from 'esbuild';

const OUTPUT = new URL('../../dist/test-children/', import.meta.url);
/** Standard input closes when the test run is gone, however it went: no program outlives it. */
const END_WITH_PARENT = "process.stdin.on('end', () => process.exit(1)).resume().unref();";
const bundles = new Map<string, Promise<string>>();

/** Bundles `testing/children/<name>.ts` into plain JavaScript and returns its path. Done once per run. */
function bundleChild(name: string): Promise<string> {
  const known = bundles.get(name);
  if (known) return known;
  const made = bundle(name);
  bundles.set(name, made);
  return made;
}

async function bundle(name: string): Promise<string> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL(`./children/${name}.ts`, import.meta.url))],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    banner: { js: END_WITH_PARENT },
    conditions: ['source'],
    plugins: [{ name: 'external-packages', setup: keepPackagesOutside }],
    logLevel: 'silent',
  });
  const outfile = fileURLToPath(new URL(`${name}.js`, OUTPUT));
  // Another test thread may start the same program meanwhile: the file is always whole.
  const draft = `${outfile}.${randomUUID()}`;
  mkdirSync(OUTPUT, { recursive: true });
  writeFileSync(draft, result.outputFiles[0]?.contents ?? '');
  renameSync(draft, outfile);
  return outfile;
}

/** Our own packages are bundled from source; everything from elsewhere is found in node_modules at run time. */
function keepPackagesOutside(context: PluginBuild): void {
  context.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
    kind === 'entry-point' || path.startsWith('@parley/') ? undefined : { path, external: true },
  );
}

export interface Child {
  readonly process: ChildProcess;
  /** Complete lines the program printed so far. A line cut off by a kill is not among them. */
  readonly lines: string[];
  /** Resolves when a line satisfies `test`; rejects with the error output when the program ends first. */
  until: (test: (line: string) => boolean) => Promise<string>;
  /** Ends it as a power cut would, and waits until it is gone. */
  kill: () => Promise<void>;
  /** Waits for its own end; rejects unless it exits with 0. */
  finished: () => Promise<void>;
}

/** `within`: a program that runs it, with its own arguments. */
export async function startChild(
  name: string,
  args: readonly string[] = [],
  within: readonly string[] = [],
): Promise<Child> {
  return startNode(name, [await bundleChild(name), ...args], within);
}

/** Starts a program that needs no bundling; `name` is what errors call it. */
export function startNode(name: string, args: readonly string[], within: readonly string[] = []): Child {
  const [program = '', ...words] = [...within, process.execPath, '--enable-source-maps', ...args];
  const child = spawn(program, words, {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const waiting = new Set<(line: string) => void>();
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-8_000)));
  let partial = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const parts = (partial + chunk.toString()).split('\n');
    partial = parts.pop() ?? '';
    for (const line of parts) {
      lines.push(line);
      for (const notify of waiting) notify(line);
    }
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const failure = (code: number | null) => new Error(`${name} ended with ${code}: ${errors.trim()}`);
  return {
    process: child,
    lines,
    until: (wanted) => {
      const present = lines.find(wanted);
      if (present !== undefined) return Promise.resolve(present);
      return new Promise((resolve, reject) => {
        const notify = (line: string): void => {
          if (!wanted(line)) return;
          waiting.delete(notify);
          resolve(line);
        };
        waiting.add(notify);
        void closed.then(([code]) => reject(failure(code)));
      });
    },
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
    finished: async () => {
      const [code] = await closed;
      if (code !== 0) throw failure(code);
    },
  };
}
