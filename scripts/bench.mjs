// `npm run bench [-- scenario … --write]`: builds, bundles the bench programme and runs it.
import { spawn } from 'node:child_process';
import { build } from 'esbuild';
import { build as buildWorkspace } from './build.mjs';
import { root } from './run.mjs';

await buildWorkspace({ quiet: true });
await build({
  entryPoints: [`${root}/bench/main.ts`],
  outfile: `${root}/bench/dist/main.mjs`,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
});
const child = spawn(process.execPath, [`${root}/bench/dist/main.mjs`, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
child.on('close', (code) => (process.exitCode = code ?? 1));
