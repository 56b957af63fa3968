// The console: one page, split by view, as files that the server sends under `/console/assets/` (called by bundle.mjs).
import { mkdir, readdir, rm, writeFile, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = (relative) => fileURLToPath(new URL(relative, import.meta.url));
/** Compressed. What the first view needs in all, and what any other adds. */
const FIRST_LOAD_LIMIT = 150_000;
const VIEW_LIMIT = 60_000;
const ENTRY = 'src/console/main.tsx';

export async function bundleConsole(assets) {
  const folder = `${assets}console/`;
  const { outputFiles, metafile } = await build({
    entryPoints: [here(ENTRY)],
    outdir: folder,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    absWorkingDir: here('.'),
    platform: 'browser',
    format: 'esm',
    target: ['chrome109', 'firefox115', 'safari16.4'],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    minify: true,
    charset: 'utf8',
    jsx: 'automatic',
    legalComments: 'none',
    conditions: ['source'],
    define: { 'process.env.NODE_ENV': '"production"' },
    // The server checks what is sent and what is answered; a page needs the names of the routes only.
    alias: { zod: here('src/console/no-schemas.ts') },
    plugins: [chosenThemes],
    logLevel: 'warning',
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const [script] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === ENTRY);
  checkSizes(metafile, files, script);
  const style = [...files.keys()].find((name) => /^main-.*\.css$/.test(name));
  const template = await readFile(here('src/console/page.html'), 'utf8');
  const html = template.replace('__SCRIPT__', basename(script)).replace('__STYLE__', style);
  await mkdir(folder, { recursive: true });
  // Compressed once, for every browser takes it.
  const compressed = [...files].map(([name, contents]) => [`${name}.gz`, gzipSync(contents, { level: 9 })]);
  const wanted = new Map([...files, ...compressed, ['index.html', Buffer.from(html)]]);
  await Promise.all([...wanted].map(([name, contents]) => writeFile(folder + name, contents)));
  for (const name of await readdir(folder)) if (!wanted.has(name)) await rm(folder + name);
}

const chosen = (theme, block) => `:root[data-theme="${theme}"] {${block}color-scheme: ${theme};}`;

/** The colours of both themes stand once, in tokens.css, and go by what the machine prefers; here a person may choose, too. */
const chosenThemes = {
  name: 'chosen-themes',
  setup({ onLoad }) {
    onLoad({ filter: /\/tokens\.css$/ }, async ({ path }) => {
      const css = await readFile(path, 'utf8');
      const [light, dark] = [...css.matchAll(/:root \{([^}]*)\}/g)].map(([, block]) => block);
      return { contents: `${css}${chosen('light', light)}${chosen('dark', dark)}`, loader: 'css' };
    });
  },
};

function checkSizes({ outputs }, files, entry) {
  const size = (names) =>
    [...names].reduce((sum, name) => sum + gzipSync(files.get(basename(name))).length, 0);
  const whole = (name, seen = new Set()) => {
    if (seen.has(name)) return seen;
    seen.add(name);
    const { imports, cssBundle } = outputs[name];
    if (cssBundle) seen.add(cssBundle);
    for (const { path, kind } of imports) if (kind === 'import-statement') whole(path, seen);
    return seen;
  };
  const first = whole(entry);
  const views = Object.values(outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ kind }) => kind === 'dynamic-import')
    .map(({ path }) => path);
  const problems = [...new Set(views)]
    .map((view) => [view, size([...whole(view)].filter((name) => !first.has(name)))])
    .filter(([, bytes]) => bytes > VIEW_LIMIT);
  if (size(first) > FIRST_LOAD_LIMIT) problems.push(['the first load', size(first)]);
  if (problems.length > 0)
    throw new Error(
      `the console is too large: ${problems.map(([name, bytes]) => `${name} ${bytes} bytes`).join(', ')}`,
    );
}
