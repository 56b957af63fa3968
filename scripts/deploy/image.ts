import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const root = process.cwd();

/** What deploy/Dockerfile says of the container. */
export interface ImageWords {
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  /** What is taken over from the checkout that was built. */
  readonly copied: readonly { readonly from: string; readonly to: string }[];
  readonly installed: readonly string[];
  readonly debian: string;
}

export function readImage(): ImageWords {
  const text = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8').replaceAll('\\\n', '');
  const lines = text.slice(text.lastIndexOf('\nFROM ')).split('\n');
  const after = (word: string): string => lines.find((line) => line.startsWith(`${word} `)) ?? '';
  const json = (word: string): string[] => {
    const line = after(word);
    return JSON.parse(line.slice(line.indexOf('['))) as string[];
  };
  const pairs = after('ENV')
    .slice(4)
    .split(' ')
    .map((pair) => pair.split('='));
  return {
    env: Object.fromEntries(pairs) as Record<string, string>,
    entrypoint: json('ENTRYPOINT'),
    command: json('CMD'),
    healthcheck: json('HEALTHCHECK'),
    copied: [...text.matchAll(/^COPY --from=build \/app\/(\S+) (\S+)$/gm)].map(([, from = '', to = '']) => ({
      from,
      to: to.endsWith('/') ? join(to, basename(from)) : to,
    })),
    installed: /--no-install-recommends ([\w -]+?) &&/.exec(text)?.[1]?.split(' ') ?? [],
    debian: /^\nFROM node:\d+-(\w+)-slim$/m.exec(text.slice(text.lastIndexOf('\nFROM ')))?.[1] ?? '',
  };
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
}

/**
 * A folder that holds what the image has under /app and nothing else: what is needed there and not copied is missed here too. Of
 * node_modules that is what `npm prune --omit=dev` leaves.
 */
export function unpackImage({ copied }: ImageWords): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'parley-image-'));
  for (const { from, to } of copied) {
    if (from === 'node_modules') linkPackages(join(folder, to));
    else cpSync(join(root, from), join(folder, to), { recursive: true, filter: isRun });
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** What only compilers and tests read is left out, to be quicker; but for what tells a clone from a package. */
const isRun = (path: string): boolean => !/\.(?:tsx?|map)$/.test(path) || path.endsWith('/cli/src/main.ts');

function linkPackages(target: string): void {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const isKept = (name: string): boolean => packages[`node_modules/${name}`]?.dev !== true;
  const inRoot = (name: string): string => join(root, 'node_modules', name);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    const inner = name.startsWith('@') ? readdirSync(inRoot(name)).map((each) => `${name}/${each}`) : [name];
    for (const each of inner.filter(isKept)) {
      mkdirSync(join(target, each, '..'), { recursive: true });
      // Our own packages are those that were copied.
      if (name === '@parley') symlinkSync(join('../../packages', basename(each)), join(target, each));
      else symlinkSync(inRoot(each), join(target, each));
    }
  }
}
