// Turns the page sources into files the server can send as they are (called by scripts/build.mjs after `tsc -b`).
//
//   packages/server/dist/assets/
//     channel-chat.html   placeholders __CHANNEL__ and __TOKEN__ (attributes of <body>; hex only)
//     guide.html          placeholders __TITLE__ (text), __CONTENT__ (markup of one page of guide-pages.json)
//     landing.html        placeholder  __BASE__ (text; a checked base URL)
//     reference.html      no placeholder: it asks for /openapi.json
//     room-viewer.html    placeholder  __ROOM__ (attribute of <body>; a checked room id)
//     login.html          placeholders __TITLE__ (text), __CONTENT__ (markup of the server, whose forms come back to it)
//     notice.html         placeholders __TITLE__, __MESSAGE__, __NEXT__ (text; escape HTML before filling in)
//     <page>.json         { scriptHash, styleHash, csp } of that page; placeholders never stand inside <script> or
//                         <style>, so the hashes hold for every filled page
//     console/            the console: index.html, and scripts and styles under names that change with them
//     favicon.svg         the icon, served as /favicon.ico
//     shell-program.js    the program inside the served shell helpers, when its source exists
//
// Every placeholder may occur more than once: fill all of them.
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleConsole } from './bundle-console.mjs';
import { guidePages } from './guide.mjs';

const here = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const assets = here('../server/dist/assets/');
const PAGE_LIMIT_BYTES = 60_000;

const PAGES = ['channel-chat', 'guide', 'landing', 'login', 'notice', 'reference', 'room-viewer'];
/**
 * Property names that only our own code uses: none is on the wire, in the storage, in the DOM or a key that is looked up by a
 * value. They are shortened so that the pages stay small.
 */
const OWN_NAMES = `
  again answer answered arrived challenge cipher clientId complain conversation enableNotifications
  enableSound envelope evictedReason farewell fingerprint forgetHello fromStart hasEarlier heard
  heardAnything inbox isAsking isFollowing isReader joining keepEnd keyCheck keyWatch knows listening nonces
  notes notifyOn outbox paired participantId patient peers refresh refreshRoster refuse replaced
  retryAfterSeconds retryNow sealed seenAt sender showEarlier soundOn speaker takeHello takeWelcome toEnd
  verdict words note learn hibernating different silent equal others until retry`
  .trim()
  .split(/\s+/);
/** Beyond what the policy of every page allows. */
const ALLOWED = {
  guide: { images: true },
  landing: { images: true },
  login: { forms: true, images: true },
  notice: { images: true },
  reference: { images: true },
};

export async function bundle() {
  await mkdir(assets, { recursive: true });
  const csp = await import('./dist/csp.js');
  const icon = copyFile(here('src/favicon.svg'), `${assets}favicon.svg`);
  await Promise.all([
    ...PAGES.map((name) => writePage(name, csp)),
    icon,
    writeGuide(),
    writeShellProgram(),
    bundleConsole(assets),
  ]);
}

async function writePage(name, csp) {
  const source = (file) => here(`src/${name}/${file}`);
  const template = await withIncludes(await readFile(source('page.html'), 'utf8'));
  const style = await styleOf(source('page.css'));
  const script = existsSync(source('main.ts')) ? await scriptOf(source('main.ts')) : null;

  const html = compact(template)
    .replace('<!-- style -->', () => `<style>${style}</style>`)
    .replace('<!-- script -->', () => (script === null ? '' : `<script>${script}</script>`));
  const bytes = Buffer.byteLength(html);
  if (bytes >= PAGE_LIMIT_BYTES) throw new Error(`${name}.html has ${bytes} bytes`);

  // Hashed from the very strings put between the tags, and compared with what a parser will find in the page.
  const hashes = {
    scriptHash: script === null ? null : await csp.sourceHash(script),
    styleHash: await csp.sourceHash(style),
  };
  const found = await csp.pageHashes(html);
  if (found.scriptHash !== hashes.scriptHash || found.styleHash !== hashes.styleHash) {
    throw new Error(`${name}.html: the inline parts are not where a parser would look for them`);
  }
  await writeFile(`${assets}${name}.html`, html);
  await writeFile(
    `${assets}${name}.json`,
    JSON.stringify({ ...hashes, csp: csp.contentSecurityPolicy(hashes, ALLOWED[name]) }),
  );
}

async function styleOf(entry) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    charset: 'ascii',
  });
  return shortNames(result.outputFiles[0].text.trim());
}

/** The names of the tokens are for readers of the sources; only the style of the page uses them. */
function shortNames(style) {
  const names = new Map();
  const short = (name) => names.get(name) ?? names.set(name, `--${names.size.toString(36)}`).get(name);
  return style.replace(
    /--[a-z][\w-]*(:? ?)/g,
    (whole, after) => short(whole.slice(0, whole.length - after.length)) + after.trim(),
  );
}

async function scriptOf(entry) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    // Browsers from 2021 on have private members and optional chains; rewriting them for older ones would add 7 kB.
    target: ['chrome91', 'firefox90', 'safari15'],
    minify: true,
    charset: 'ascii',
    legalComments: 'none',
    conditions: ['source'],
    mangleProps: new RegExp(`^(?:${OWN_NAMES.join('|')})$`),
    logLevel: 'silent',
  });
  return result.outputFiles[0].text.trim();
}

async function writeGuide() {
  await writeFile(`${assets}guide-pages.json`, JSON.stringify(await guidePages()));
}

async function writeShellProgram() {
  const entry = here('../sdk/src/channels/shell-program.ts');
  if (!existsSync(entry)) return;
  await build({
    entryPoints: [entry],
    outfile: `${assets}shell-program.js`,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node18',
    minify: true,
    legalComments: 'none',
    conditions: ['source'],
    logLevel: 'silent',
  });
}

/** `<!-- include conversation/bar: People -->` stands for src/shared/conversation/bar.html, with the word where that says `{word}`. */
async function withIncludes(template) {
  let whole = template;
  for (const [mark, name, word = ''] of template.matchAll(/<!-- include ([\w/-]+)(?:: (.+?))? -->/g)) {
    const part = await readFile(here(`src/shared/${name}.html`), 'utf8');
    whole = whole.replace(mark, () => part.replaceAll('{word}', word).trim());
  }
  return whole;
}

/** Comments, indentation and needless quotes of the template are for its readers only. */
function compact(template) {
  return template
    .replace(/<!--(?! (?:style|script) -->)[\s\S]*?-->/g, '')
    .replace(/\n\s*/g, '\n')
    .replace(/ ([a-z-]+)="([a-z][a-z-]*)"/g, ' $1=$2')
    .trim();
}
