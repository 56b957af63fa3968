import { closedLoop, type LoopResult } from '../load/closed-loop.ts';
import { Connection } from '../load/connection.ts';
import { messages, type Path, type PathMaker, turns, upserts, whoami } from '../load/path.ts';
import { type ParleyProcess, type ServerProcess, startBare, startParley } from '../load/server-process.ts';
import { atLeast, atMost, median, percentile, round, type ScenarioResult } from '../result.ts';
import { UNLIMITED } from './unlimited.ts';

const CONNECTIONS = 32;
const BATCH = 32;
const WARM_MS = 2_500;
const OURS_MS = 800;
const BARE_MS = 400;
const ROWS = 640;
const ROUNDS = 10;

/** A path to the server of another checkout, to be measured in the same run. */
const AGAINST = process.env.BENCH_AGAINST;

/**
 * The four busiest requests as a client sees them. Beside each, in turns within the same run: a bare `node:http` server
 * that echoes as much, and the same rows written by hand. What the two allow together is the time of both.
 */
export async function paths(): Promise<ScenarioResult> {
  const figures = {
    whoami: await measure(whoami),
    messages: await measure(messages),
    turns: await measure(turns),
    upserts: await measure(upserts),
  };
  return {
    name: `the busiest requests over HTTP, ${CONNECTIONS} connections (SQLite, WAL, synchronous=FULL)`,
    rows: [
      ...rowsOf('GET /v1/whoami', figures.whoami),
      ...rowsOf('accepted messages', figures.messages),
      ...rowsOf('turns in rooms', figures.turns),
      ...rowsOf('upserts of capsules of 14 KB', figures.upserts),
    ],
    checks: [
      atMost('time of whoami against a bare echo', round(1 / figures.whoami.ratio), 2),
      atLeast('accepted messages against what both allow together', round(figures.messages.ratio), 0.4),
      ...(AGAINST === undefined
        ? []
        : [
            atLeast('turns against those of the other checkout', round(figures.turns.gain), 1.5),
            atLeast('upserts against those of the other checkout', round(figures.upserts.gain), 1.5),
          ]),
    ],
  };
}

interface Figures {
  readonly ours: number;
  readonly p50: number;
  readonly p99: number;
  readonly bare: number;
  readonly hand: number | undefined;
  /** Of what HTTP and the commit allow together, median of the rounds. */
  readonly ratio: number;
  /** Microseconds of a processor for each request. */
  readonly cpu: number;
  readonly bareCpu: number;
  readonly other: number | undefined;
  readonly otherCpu: number | undefined;
  /** Against the other checkout, median of the rounds. */
  readonly gain: number;
}

interface Side {
  readonly server: ParleyProcess;
  readonly connections: readonly Connection[];
  readonly path: Path;
}

async function measure(make: PathMaker): Promise<Figures> {
  const bare = await startBare();
  const toBare = await open(bare.url);
  const us = await side(make);
  const them = AGAINST === undefined ? undefined : await side(make, AGAINST);
  const { echo, byHand } = us.path;
  await closedLoop(toBare, () => echo, WARM_MS / 2);
  await us.path.play(WARM_MS);
  await them?.path.play(WARM_MS);

  const rounds: Figures[] = [];
  for (let at = 0; at < ROUNDS; at++) {
    const echoed = await counted(bare, () => closedLoop(toBare, () => echo, BARE_MS));
    const hand = byHand?.(ROWS, BATCH);
    // By turns: whoever comes first after many rows by hand waits for the disk to take them in.
    const others = () => them && counted(them.server, () => them.path.play(OURS_MS));
    const early = at % 2 === 0 ? undefined : await others();
    const played = await counted(us.server, () => us.path.play(OURS_MS));
    const other = early ?? (await others());
    const possible = 1 / (1 / echoed.perSecond + (hand === undefined ? 0 : 1 / hand));
    rounds.push({
      ours: played.perSecond,
      p50: median(played.latencies),
      p99: percentile(played.latencies, 0.99),
      bare: echoed.perSecond,
      hand,
      ratio: played.perSecond / possible,
      cpu: played.cpu,
      bareCpu: echoed.cpu,
      other: other?.perSecond,
      otherCpu: other?.cpu,
      gain: played.perSecond / (other?.perSecond ?? Number.NaN),
    });
  }
  for (const connection of [...toBare, ...us.connections, ...(them?.connections ?? [])]) connection.close();
  us.path.close();
  them?.path.close();
  await Promise.all([bare.stop(), us.server.stop(), them?.server.stop()]);
  const middle = (pick: (one: Figures) => number | undefined): number =>
    median(rounds.map((one) => pick(one) ?? Number.NaN));
  return {
    ours: middle((one) => one.ours),
    p50: middle((one) => one.p50),
    p99: middle((one) => one.p99),
    bare: middle((one) => one.bare),
    hand: byHand && middle((one) => one.hand),
    ratio: middle((one) => one.ratio),
    cpu: middle((one) => one.cpu),
    bareCpu: middle((one) => one.bareCpu),
    other: them && middle((one) => one.other),
    otherCpu: them && middle((one) => one.otherCpu),
    gain: middle((one) => one.gain),
  };
}

/** With the microseconds of a processor that the server spent on each request. */
async function counted(
  server: ServerProcess,
  play: () => Promise<LoopResult>,
): Promise<LoopResult & { readonly cpu: number }> {
  const before = server.cpu();
  const played = await play();
  return { ...played, cpu: ((server.cpu() - before) * 1000) / played.latencies.length };
}

async function side(make: PathMaker, checkout?: string): Promise<Side> {
  const server = await startParley(UNLIMITED, checkout);
  const connections = await open(server.url);
  return { server, connections, path: await make(server, connections) };
}

const open = (url: string): Promise<Connection[]> =>
  Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(url)));

const rate = (value: number): string => Math.round(value).toLocaleString('en');

function rowsOf(label: string, one: Figures): { label: string; value: string }[] {
  const hand = one.hand === undefined ? '' : `; rows by hand ${rate(one.hand)}`;
  const other = one.other === undefined ? '' : `; other checkout ${rate(one.other)}, gain ${round(one.gain)}`;
  const otherCpu = one.otherCpu === undefined ? '' : `; other checkout ${rate(one.otherCpu)}`;
  return [
    {
      label: `${label}, per second`,
      value: `${rate(one.ours)} (bare echo ${rate(one.bare)}${hand}; ${round(one.ratio)} of both${other})`,
    },
    {
      label: `${label}, answer after ms (p50 / p99); processor µs each`,
      value: `${round(one.p50)} / ${round(one.p99)}; ${rate(one.cpu)} (bare ${rate(one.bareCpu)}${otherCpu})`,
    },
  ];
}
