// `npm run pack sdk [folder]`: makes the tarball of a package that can be installed anywhere, and prints where it is. What is built is
// packed: run `npm run build` first. A package is staged by a function that fills a folder; add a row for another one.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stageSdk } from './pack/sdk.mjs';

const STAGED = { sdk: stageSdk };

/** The path of the tarball. */
async function pack(name, folder = '.') {
  const stage = STAGED[name];
  if (!stage) throw new Error(`there is no package ${name}; known: ${Object.keys(STAGED).join(', ')}`);
  const destination = resolve(folder);
  await mkdir(destination, { recursive: true });
  const staged = await mkdtemp(join(tmpdir(), 'parley-pack-'));
  try {
    await stage(staged);
    const npm = spawnSync('npm', ['pack', '--json', '--pack-destination', destination], {
      cwd: staged,
      encoding: 'utf8',
    });
    if (npm.status !== 0) throw new Error(`npm pack failed\n${npm.stderr}`);
    const [{ filename }] = JSON.parse(npm.stdout);
    const tarball = join(destination, filename);
    // Older versions of npm name a scoped package otherwise than its file.
    return existsSync(tarball) ? tarball : join(destination, filename.replace('@', '').replace('/', '-'));
  } finally {
    await rm(staged, { recursive: true });
  }
}

const [name = '', folder] = process.argv.slice(2);
process.stdout.write(`${await pack(name, folder)}\n`);
