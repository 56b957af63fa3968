import { parseArgs } from 'node:util';
import { type Aside, ASIDE_NAMES } from './asides.ts';
import { type ClusterOptions, tortureCluster } from './cluster.ts';
import { tortureSingle } from './single.ts';
import { Tally } from './tally.ts';

const HELP = `npm run torture -- single|cluster [--kills=50] [--writes=100000] [--seed=1] [--share=1] [--every=5] [--patience=1]
                                  [--asides=${ASIDE_NAMES.join(',')}] [--aside-every=6]

  single    one server on a file, killed with -9 under load of all modules; then a second server on its folder, a file
            that is cut short and a full disk (as root)
  cluster   three nodes on a PostgreSQL and a Redis behind a HAProxy: one is killed again and again, and every sixth time
            PostgreSQL restarts, Redis is gone for twenty seconds, a node stands still for sixty, all restart in turn, clocks
            are five minutes apart, or a node is cut off from PostgreSQL; with --every=5 a node is killed every five
            seconds, however much is written, and nothing else befalls them

Ends with 1 if an acknowledged write was lost or doubled, an answer was wrong, something took longer than promised (--patience=3
allows three times as long, on a machine with other work), or the run was broken off.
`;

const RUNS: Readonly<Record<string, (options: ClusterOptions) => Promise<void>>> = {
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
    patience: { type: 'string', default: '1' },
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
const tally = new Tally();
const options = {
  tally,
  patience: Number(values.patience),
  // A lease, and what it takes to look.
  settleMs: 35_000,
  kills,
  writes: Number(values.writes),
  seed,
  share: Number(values.share),
  say,
  asides,
  asideEvery: Number(values['aside-every']),
  ...(values.every !== undefined && { everyMs: Number(values.every) * 1000 }),
};
const brokenOff = await run(options).then(
  () => false,
  (error: unknown) => {
    say(`broken off before all was looked for: ${error instanceof Error ? error.message : String(error)}`);
    return true;
  },
);
const minutes = (performance.now() - began) / 60_000;
const { lost, doubled, wrong } = tally;
for (const [what, list] of Object.entries({ lost, doubled, wrong })) {
  for (const each of list.slice(0, 20)) say(`${what}: ${each}`);
}
if (tally.times !== '') say(`longest of each: ${tally.times}`);
say(
  `acked ${tally.total} (${tally.byKind}), lost ${lost.length}, doubled ${doubled.length}, wrong ${wrong.length}, ` +
    `kills ${kills}, cut requests ${tally.unsure}, longest outage ${Math.round(tally.longestWait)} ms, ${minutes.toFixed(1)} minutes`,
);
// What was left running by a run that broke off ends with this process.
process.exit(tally.isClean && !brokenOff ? 0 : 1);
