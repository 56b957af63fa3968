// `npm run docs`: rewrites the generated parts of docs/*.md. `node scripts/docs.mjs --check` changes nothing, uses what is
// built, and fails when a part is out of date; a test runs it.
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from './build.mjs';
import { root } from './run.mjs';

const PART = /(<!-- generated: ([\w-]+) -->\n)[\s\S]*?(<!-- end of generated -->)/g;
const PAGES = [
  'channels',
  'cli',
  'console',
  'cues',
  'identity',
  'knowledge',
  'mcp',
  'memory',
  'messages',
  'operating',
  'reminders-and-handoffs',
  'rooms',
];

const checkOnly = process.argv.includes('--check');
if (!checkOnly) await build({ quiet: true });
const { PARTS } = await import('./docs/parts.mjs');

const stale = [];
for (const page of PAGES) {
  const file = `${root}/docs/${page}.md`;
  const text = readFileSync(file, 'utf8');
  const fresh = await replaceParts(text);
  if (fresh === text) continue;
  stale.push(`docs/${page}.md`);
  if (!checkOnly) writeFileSync(file, fresh);
}
process.stdout.write(
  stale.length === 0 ? 'docs are up to date\n' : `${checkOnly ? 'stale' : 'written'}: ${stale.join(', ')}\n`,
);
process.exitCode = checkOnly && stale.length > 0 ? 1 : 0;

async function replaceParts(text) {
  const parts = new Map();
  for (const [, , name] of text.matchAll(PART)) {
    if (!PARTS[name]) throw new Error(`docs: nothing makes the part ${name}`);
    parts.set(name, await PARTS[name]());
  }
  return text.replace(PART, (_, start, name, end) => `${start}${parts.get(name)}\n${end}`);
}
