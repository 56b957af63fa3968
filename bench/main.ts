import { writeFileSync } from 'node:fs';
import { channelFanOut } from './scenarios/channel-fan-out.ts';
import { channelSends } from './scenarios/channel-sends.ts';
import { delivery } from './scenarios/delivery.ts';
import { deliveryPushes } from './scenarios/delivery-pushes.ts';
import { memory } from './scenarios/memory.ts';
import { parkedPolls } from './scenarios/parked-polls.ts';
import { roomListeners } from './scenarios/room-listeners.ts';
import { roomTurns } from './scenarios/room-turns.ts';
import { shellLoop } from './scenarios/shell-loop.ts';
import { storeScenario } from './scenarios/store.ts';
import { round, type ScenarioResult } from './result.ts';
import { report } from './report.ts';

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
  memory,
};

const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith('--'));
const unknown = wanted.find((name) => !(name in SCENARIOS));
if (unknown) {
  console.error(`unknown scenario ${unknown}; there are: ${Object.keys(SCENARIOS).join(', ')}`);
  process.exit(2);
}

const results: ScenarioResult[] = [];
for (const [name, scenario] of Object.entries(SCENARIOS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const result = await scenario();
  results.push(result);
  console.log(`\n${result.name}`);
  for (const { label, value } of result.rows) console.log(`  ${label}: ${value}`);
  for (const { label, actual, ok } of result.checks)
    console.log(`  ${ok ? 'met   ' : 'MISSED'} ${label}: ${round(actual)}`);
}
if (args.includes('--write')) writeFileSync('docs/performance.md', report(results));
const missed = results.flatMap(({ checks }) => checks).filter(({ ok }) => !ok).length;
console.log(`\n${missed === 0 ? 'every target met' : `${missed} targets missed`}`);
process.exitCode = missed === 0 ? 0 : 1;
