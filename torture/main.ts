import { parseArgs } from 'node:util';
import { type Aside, ASIDE_NAMES, type ClusterOptions, tortureCluster } from './cluster.ts';
import { tortureSingle } from './single.ts';
import type { Tally } from './tally.ts';

const HELP = `npm run torture -- single|cluster [--kills=50] [--writes=100000] [--seed=1] [--share=1] [--every=5]
                                  [--asides=${ASIDE_NAMES.join(',')}] [--aside-every=6]

  single    one server on a file, killed with -9 under load of all modules; then a second server on its folder, a file
            that is cut short and a full disk (as root)
  cluster   three nodes on a PostgreSQL and a Redis behind a HAProxy: one is killed again and again, and every sixth time
            PostgreSQL restarts, Redis is gone for twenty seconds, a node stands still for sixty, all restart in turn, clocks
            are five minutes apart, or a node is cut off from PostgreSQL; with --every=5 a node is killed every five
            seconds, however much is written, and nothing else befalls them. Sealed channels take part unless Redis goes

Ends with 1 if an acknowledged write was lost or doubled, or an answer was wrong.
`;

const RUNS: Readonly<Record<string, (options: ClusterOptions) => Promise<Tally>>> = {
  single: tortureSingle,
  cluster: tortureCluster,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string', default: '50' },
    writes: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    share: { type: 'string', default: '1' },
    every: { type: 'string' },
    asides: { type: 'string' },
    'aside-every': { type: 'string', default: '6' },
    help: { type: 'boolean', default: false },
  },
});
const run = RUNS[positionals[0] ?? 'single'];
const asides = (values.asides ?? (values.every === undefined ? ASIDE_NAMES.join(',') : ''))
  .split(',')
  .filter((name) => name !== '');
const isAside = (name: string): name is Aside => (ASIDE_NAMES as string[]).includes(name);
if (values.help || !run || !asides.every(isAside)) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}
const began = performance.now();
const say = (line: string): void => {
  process.stdout.write(`${String(Math.round((performance.now() - began) / 1000)).padStart(5)} s  ${line}\n`);
};
const seed = Number(values.seed);
const kills = Number(values.kills);
say(`seed ${seed}`);
const options = {
  kills,
  writes: Number(values.writes),
  seed,
  share: Number(values.share),
  say,
  asides,
  asideEvery: Number(values['aside-every']),
  ...(values.every !== undefined && { everyMs: Number(values.every) * 1000 }),
};
const tally = await run(options).catch((error: unknown) => {
  say(`broken off: ${error instanceof Error ? error.message : String(error)}`);
  return process.exit(1);
});
const minutes = (performance.now() - began) / 60_000;
for (const [what, list] of Object.entries({ lost: tally.lost, doubled: tally.doubled, wrong: tally.wrong })) {
  for (const each of list.slice(0, 20)) say(`${what}: ${each}`);
}
say(
  `acked ${tally.total} (${tally.byKind}), lost ${tally.lost.length}, doubled ${tally.doubled.length}, wrong ${tally.wrong.length}, ` +
    `kills ${kills}, cut requests ${tally.unsure}, longest outage ${Math.round(tally.longestWait)} ms, ${minutes.toFixed(1)} minutes`,
);
process.exitCode = tally.isClean ? 0 : 1;
