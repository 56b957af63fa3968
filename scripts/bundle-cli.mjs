// Makes the command line one file that needs nothing but Node: the server hands it out as /cli.mjs. It runs as a module, as an
// installed program without an extension, and from standard input (`curl … | node - status`), where Node takes it for an older
// script: so it has neither import nor export. Called by build.mjs.
import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { englishOnly } from './bundle-server.mjs';

const here = (relative) => fileURLToPath(new URL(`../packages/${relative}`, import.meta.url));

/** Commands on a server's own store are for where the server is. The lock of a bridge's home is made as that of a store is. */
const withoutServer = {
  name: 'without-server',
  setup({ onResolve }) {
    onResolve({ filter: /^@parley\/server\// }, ({ path }) =>
      path.endsWith('/lock-file') ? undefined : { path: here('cli/src/no-server-here.ts') },
    );
  },
};

export async function bundleCli() {
  const outfile = here('cli/dist/cli.mjs');
  await build({
    entryPoints: [here('cli/src/program.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'iife',
    target: 'node20',
    banner: {
      js: '#!/usr/bin/env node\n(() => { const require = process.getBuiltinModule("node:module").createRequire(process.cwd() + "/");',
    },
    footer: { js: '})();' },
    minify: true,
    keepNames: false,
    legalComments: 'none',
    conditions: ['source'],
    plugins: [withoutServer, englishOnly],
    logLevel: 'error',
  });
  await chmod(outfile, 0o755);
  await mkdir(here('server/dist'), { recursive: true });
  await copyFile(outfile, here('server/dist/cli.mjs'));
}
