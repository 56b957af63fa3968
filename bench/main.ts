import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { channelFanOut } from './scenarios/channel-fan-out.ts';
import { channelSends } from './scenarios/channel-sends.ts';
import { cluster } from './scenarios/cluster.ts';
import { consoleViews } from './scenarios/console.ts';
import { cues } from './scenarios/cues.ts';
import { delivery } from './scenarios/delivery.ts';
import { deliveryPushes } from './scenarios/delivery-pushes.ts';
import { knowledge } from './scenarios/knowledge.ts';
import { memory } from './scenarios/memory.ts';
import { paths } from './scenarios/paths.ts';
import { parkedPolls } from './scenarios/parked-polls.ts';
import { roomListeners } from './scenarios/room-listeners.ts';
import { roomTurns } from './scenarios/room-turns.ts';
import { scale } from './scenarios/scale.ts';
import { schedule } from './scenarios/schedule.ts';
import { seeded } from './scenarios/seed.ts';
import { shellLoop } from './scenarios/shell-loop.ts';
import { soak } from './scenarios/soak.ts';
import { start } from './scenarios/start.ts';
import { storeScenario } from './scenarios/store.ts';
import { round, type ScenarioResult } from './result.ts';
import { writeReport } from './report.ts';

const SCENARIOS: Record<string, () => Promise<ScenarioResult>> = {
  store: storeScenario,
  sends: channelSends,
  polls: parkedPolls,
  'fan-out': channelFanOut,
  loop: shellLoop,
  listeners: roomListeners,
  turns: roomTurns,
  messages: delivery,
  pushes: deliveryPushes,
  cues,
  memory,
  schedule,
  knowledge,
  paths,
  cluster,
  start,
  soak,
  seed: seeded,
  scale,
  console: consoleViews,
};

/** They take minutes: only when they are named. */
const ONLY_NAMED = new Set(['soak', 'seed', 'console', 'scale']);

const INTO = '--into=';
const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith('--'));
const unknown = wanted.find((name) => !(name in SCENARIOS));
if (unknown) {
  console.error(`unknown scenario ${unknown}; there are: ${Object.keys(SCENARIOS).join(', ')}`);
  process.exit(2);
}

const chosen = Object.keys(SCENARIOS).filter((name) =>
  wanted.length === 0 ? !ONLY_NAMED.has(name) : wanted.includes(name),
);
const results: ScenarioResult[] = [];
for (const name of chosen) results.push(chosen.length > 1 ? runApart(name) : await run(name));
if (args.includes('--write')) writeReport('docs/performance.md', chosen, results);
const into = args.find((arg) => arg.startsWith(INTO));
if (into) writeFileSync(into.slice(INTO.length), JSON.stringify(results[0]));
const missed = results.flatMap(({ checks }) => checks).filter(({ ok }) => !ok).length;
if (!into) console.log(`\n${missed === 0 ? 'every target met' : `${missed} targets missed`}`);
process.exitCode = missed === 0 ? 0 : 1;

async function run(name: string): Promise<ScenarioResult> {
  const result = await SCENARIOS[name]?.();
  if (!result) throw new TypeError(`there is no scenario ${name}`);
  console.log(`\n${result.name}`);
  for (const { label, value } of result.rows) console.log(`  ${label}: ${value}`);
  for (const { label, actual, ok } of result.checks)
    console.log(`  ${ok ? 'met   ' : 'MISSED'} ${label}: ${round(actual, 3)}`);
  return result;
}

/** In a process of its own, so that no scenario works with the garbage and the compiled code that others left behind. */
function runApart(name: string): ScenarioResult {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const file = join(folder, 'result.json');
  try {
    const options = args.filter((arg) => arg.startsWith('--') && arg !== '--write');
    spawnSync(process.execPath, [fileURLToPath(import.meta.url), name, ...options, INTO + file], {
      stdio: 'inherit',
    });
    return JSON.parse(readFileSync(file, 'utf8')) as ScenarioResult;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
