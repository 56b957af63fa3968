// `npm run torture -- single [--kills=… --writes=… --seed=…]`: builds, bundles the torture programme and runs it.
import { spawn } from 'node:child_process';
import { build } from 'esbuild';
import { build as buildWorkspace } from './build.mjs';
import { root } from './run.mjs';

const outfile = `${root}/torture/dist/main.mjs`;
if (process.env.TEST_SKIP_BUILD !== '1') await buildWorkspace({ quiet: true });
await build({
  entryPoints: [`${root}/torture/main.ts`],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
});
const child = spawn(process.execPath, [outfile, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('close', (code) => (process.exitCode = code ?? 1));
