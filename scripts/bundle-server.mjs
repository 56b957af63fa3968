// Puts the server and the packages it needs into one file (called by scripts/build.mjs after `tsc -b`): reading some 1,300 small
// ones takes longer than the rest of a start. `@parley/server/main` is this file; everything else of the package is as compiled.
// Stack traces name the sources with `node --enable-source-maps`.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (relative) => fileURLToPath(new URL(relative, import.meta.url));
/** As deep as the folders of `src`, so that paths of the package hold (`platform/package-folder.ts`). */
const output = here('../packages/server/dist/bundle/');

/** Native, or asked for by few servers (a database, webhooks) or by none (what Fastify would do with schemas). */
const OUTSIDE = [
  '@photostructure/sqlite',
  'pg',
  'ioredis',
  'undici',
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'light-my-request',
];
/** Packages in the older module format ask for what Node has by `require`. */
const REQUIRE =
  "import { createRequire as requireMaker } from 'node:module'; const require = requireMaker(import.meta.url);";

/** Messages of schemas are told in English; zod would bring them in fifty languages. */
export const englishOnly = {
  name: 'english-only',
  setup({ onResolve }) {
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ resolveDir, path }) => ({
      path: join(resolveDir, dirname(path), 'en.js'),
    }));
  },
};

export async function bundleServer() {
  const { outputFiles } = await build({
    entryPoints: { main: here('../packages/server/dist/bundled.js') },
    outdir: output,
    bundle: true,
    // What is imported lazily stays apart.
    splitting: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: OUTSIDE,
    plugins: [englishOnly],
    banner: { js: REQUIRE },
    // Less to parse and to keep in memory. Names stay, for stack traces and profiles.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
  });
  await mkdir(output, { recursive: true });
  await Promise.all(outputFiles.map(({ path, contents }) => put(path, contents)));
  const made = new Set(outputFiles.map(({ path }) => basename(path)));
  for (const name of await readdir(output)) if (!made.has(name)) await rm(output + name);
}

/** Whole at any time, since a server may start meanwhile, and not at all when it is there already. */
async function put(path, contents) {
  const known = await readFile(path).catch(() => undefined);
  if (known?.equals(contents)) return;
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, contents);
  await rename(draft, path);
}
