import { expect, test } from 'vitest';
import { tortureSingle } from './single.ts';
import { Tally } from './tally.ts';
import { KINDS } from './crowd.ts';

test('a server killed with -9 under load of all modules loses and doubles nothing that it acknowledged', async () => {
  const said: string[] = [];
  const tally = new Tally();
  await tortureSingle({
    tally,
    patience: 3,
    settleMs: 0,
    kills: 3,
    writes: 600,
    seed: 1,
    share: 0.2,
    say: (line) => void said.push(line),
  });
  expect({ lost: tally.lost, doubled: tally.doubled, wrong: tally.wrong }, said.join('\n')).toEqual({
    lost: [],
    doubled: [],
    wrong: [],
  });
  expect(tally.total).toBeGreaterThan(599);
  const disk = said.find((line) => line.startsWith('a full disk'));
  expect(disk).toBeDefined();
  if (disk?.includes('was not tried')) process.stdout.write(`not run: ${disk}\n`);
  for (const kind of KINDS) expect(tally.byKind).toContain(kind);
}, 180_000);

test('what is missing is lost, what is there twice is doubled, and what nobody was told of may be there', () => {
  const tally = new Tally();
  tally.compare('line', ['a', 'b', 'c'], ['a', 'c', 'c', 'cut off']);
  expect(tally).toMatchObject({ lost: ['line b'], doubled: ['line c, 2 times'], isClean: false });
});
