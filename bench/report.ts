import { cpus } from 'node:os';
import { round, type ScenarioResult } from './result.ts';

/** `docs/performance.md`: the figures of one run, with the command that made them. */
export function report(results: readonly ScenarioResult[]): string {
  const date = new Date().toISOString().slice(0, 10);
  const cores = cpus();
  const sections = results.map(
    ({ name, rows, checks }) => `## ${name[0]?.toUpperCase()}${name.slice(1)}

| figure | value |
| --- | --- |
${rows.map(({ label, value }) => `| ${label} | ${value} |`).join('\n')}

| target | measured | |
| --- | --- | --- |
${checks.map(({ label, actual, ok }) => `| ${label} | ${round(actual)} | ${ok ? 'met' : 'missed'} |`).join('\n')}
`,
  );
  return `# Performance

Made by \`npm run bench -- --write\` on ${date}: Node ${process.version}, ${cores.length} cores, load generator on the same
machine. Ratios compare with a bare baseline in the same run, in alternating slices; figures in milliseconds and per
second are those of this machine and of its other load at the time. Run it yourself, or a single scenario with
\`npm run bench -- sends\` (\`store\`, \`sends\`, \`polls\`, \`fan-out\`, \`loop\`, \`listeners\`, \`turns\`,
\`messages\`, \`pushes\`, \`memory\`).

${sections.join('\n')}`;
}
