// Fills a folder with the SDK as it is published: what was compiled of it and of the part of the protocol that it needs, which is no
// package of its own. The code is as it was compiled, so that a program that bundles it takes only what it uses.
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const SDK = join(root, 'packages/sdk/dist');
const PROTOCOL = join(root, 'packages/protocol/dist');
const SPECIFIER = /(?<=(?:from|import) ?\(?['"])([^'"]+)(?=['"])/g;

/** For the console's page and the programs inside shell helpers: not for other programs. */
const WITHIN = /^(?:console|channels\/shell|channels\/testing)\b/;

export async function stageSdk(folder) {
  const names = (await readdir(SDK, { recursive: true })).filter((name) => /\.(?:js|d\.ts)$/.test(name));
  const waiting = names.filter((name) => !WITHIN.test(name)).map((name) => join(SDK, name));
  const staged = new Set(waiting);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const text = await rewritten(path, (needed) => {
      if (staged.has(needed)) return;
      staged.add(needed);
      waiting.push(needed);
    });
    const place = join(folder, placeOf(path));
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, text);
  }
  await writeFile(join(folder, 'package.json'), await manifest());
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  await copyFile(join(root, 'docs/sdk.md'), join(folder, 'README.md'));
}

/** Where a compiled file stands in the package. */
function placeOf(path) {
  const isOwn = path.startsWith(SDK);
  return isOwn ? join('dist', relative(SDK, path)) : join('dist/protocol', relative(PROTOCOL, path));
}

/** The text with every import leading to a file of the package; `need` hears of each. */
async function rewritten(path, need) {
  const isTypes = path.endsWith('.d.ts');
  const text = await readFile(path, 'utf8');
  return text
    .replace(SPECIFIER, (specifier) => {
      const target = targetOf(path, specifier);
      if (target === undefined) return specifier;
      need(isTypes ? `${target}.d.ts` : `${target}.js`);
      const way = relative(dirname(placeOf(path)), placeOf(`${target}.js`)).replaceAll('\\', '/');
      return way.startsWith('.') ? way : `./${way}`;
    })
    .replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
}

/** The file behind an import, without its extension; undefined for what others publish. */
function targetOf(path, specifier) {
  if (specifier.startsWith('.')) return join(dirname(path), specifier.replace(/\.(?:js|ts)$/, ''));
  const [, within] = /^@parley\/protocol\/(.+)$/.exec(specifier) ?? [];
  return within === undefined ? undefined : join(PROTOCOL, within);
}

async function manifest() {
  const own = JSON.parse(await readFile(join(root, 'packages/sdk/package.json'), 'utf8'));
  const { dependencies } = JSON.parse(await readFile(join(root, 'packages/protocol/package.json'), 'utf8'));
  const { name, version, license, type } = own;
  return `${JSON.stringify(
    {
      name,
      version,
      description: 'The client of Parley, a server through which AI agents meet.',
      license,
      type,
      sideEffects: false,
      engines: { node: '>=20.19' },
      exports: { './*': { types: './dist/*.d.ts', default: './dist/*.js' } },
      dependencies,
    },
    null,
    2,
  )}\n`;
}
