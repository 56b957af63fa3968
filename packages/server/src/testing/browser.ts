import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, describe } from 'vitest';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

type Found = { readonly path: string } | { readonly missing: string };

let found: Found | undefined;
let running: Promise<Browser> | undefined;

/** A suite that needs a real browser. Where there is none and none can be installed, it says so and is left out. */
export function describeInBrowser(name: string, suite: () => void): void {
  describe.skipIf('missing' in findChromium())(name, () => {
    suite();
    // The next suite of this thread that needs a browser starts it again.
    afterAll(closeBrowser);
  });
}

/** One browser for all that runs at a time in this thread. Ask for contexts of your own and close them. */
export async function sharedBrowser(): Promise<Browser> {
  running ??= launch();
  return await running;
}

/** Where Chromium is: `CHROMIUM` if set, else the usual places, else installed where that is possible. */
function findChromium(): Found {
  found ??= lookForChromium();
  return found;
}

async function closeBrowser(): Promise<void> {
  const browser = running;
  running = undefined;
  await (await browser)?.close();
}

async function launch(): Promise<Browser> {
  const place = findChromium();
  if ('missing' in place) throw new Error(place.missing);
  return await chromium.launch({ executablePath: place.path, args: FLAGS });
}

function lookForChromium(): Found {
  const present = [process.env.CHROMIUM, ...PLACES].find(isProgram);
  if (present !== undefined) return { path: present };
  const problem = installChromium();
  const installed = PLACES.find(isProgram);
  if (installed !== undefined) return { path: installed };
  const missing = `Chromium was not found and could not be installed (${problem}); set CHROMIUM to its path`;
  process.stderr.write(`Browser suites are not run: ${missing}\n`);
  return { missing };
}

function isProgram(path: string | undefined): path is string {
  if (path === undefined || path === '') return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns why it did not work; empty when it did. */
function installChromium(): string {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return 'only tried as root on Debian';
  const install = 'apt-get update && apt-get install -y --no-install-recommends chromium';
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = spawnSync('sh', ['-c', install], { encoding: 'utf8', env });
  return run.status === 0 ? '' : (run.stderr.trim().split('\n').at(-1) ?? 'apt-get failed');
}
