import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { round, type ScenarioResult } from './result.ts';

const NEXT = /^<!-- (\w[\w-]*) -->\n/m;

/** `docs/performance.md`: the sections of the scenarios that ran are new, what else is written there stays. */
export function writeReport(
  file: string,
  names: readonly string[],
  results: readonly ScenarioResult[],
): void {
  const sections = new Map(existsSync(file) ? sectionsOf(readFileSync(file, 'utf8')) : []);
  for (const [at, name] of names.entries()) {
    const result = results[at];
    if (result) sections.set(name, sectionOf(result));
  }
  const body = [...sections].map(([name, text]) => `<!-- ${name} -->\n${text.trim()}\n`).join('\n');
  writeFileSync(file, `${HEAD}\n${body}`);
}

function sectionsOf(text: string): [string, string][] {
  const [, ...parts] = text.split(NEXT);
  const sections: [string, string][] = [];
  for (let at = 0; at < parts.length; at += 2) sections.push([parts[at] ?? '', parts[at + 1] ?? '']);
  return sections;
}

function sectionOf({ name, rows, checks }: ScenarioResult): string {
  const date = new Date().toISOString().slice(0, 10);
  return `## ${name[0]?.toUpperCase()}${name.slice(1)}

Measured on ${date}: Node ${process.version}, ${cpus().length} cores.

| figure | value |
| --- | --- |
${rows.map(({ label, value }) => `| ${label} | ${value} |`).join('\n')}

| target | measured | |
| --- | --- | --- |
${checks.map(({ label, actual, ok }) => `| ${label} | ${round(actual, 3)} | ${ok ? 'met' : 'missed'} |`).join('\n')}`;
}

const HEAD = `# Performance

Made by \`npm run bench -- --write\`, load generator on the same machine. Ratios compare with a bare baseline in the same
run, in alternating slices; figures in milliseconds and per second are those of the machine and of its other load at the
time. Run it yourself, or a single scenario with \`npm run bench -- sends\` (\`store\`, \`sends\`, \`polls\`, \`fan-out\`,
\`loop\`, \`listeners\`, \`turns\`, \`messages\`, \`pushes\`, \`cues\`, \`schedule\`, \`knowledge\`, \`memory\`, \`paths\`, \`cluster\`, \`start\`, and \`soak\`, which takes ten
minutes: \`--minutes=1\` for a quick look; \`seed\`, \`console\` and \`scale\` run only when they are named). \`console\` fills a store with 100,000 agents, 1,000,000 messages and 100,000 capsules first
(\`BENCH_SEED_SHARE=0.05\` for a twentieth of it, \`--owners=1\` for a single account, \`--data-dir=\` to keep the file). \`BENCH_AGAINST=../other-checkout npm run bench -- paths\` measures another
build of Parley in the same run. With \`--write\` the sections of the scenarios that ran are written anew.
`;
