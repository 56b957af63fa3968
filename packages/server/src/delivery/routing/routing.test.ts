import {
  BEAT_STATES,
  type Channel,
  CHANNELS,
  DELIVERY_MODES,
  LIVE_FALLBACK_MODES,
} from '@parley/protocol/delivery/vocabulary';
import { describe, expect, test } from 'vitest';
import { type RoutingDecision, type RoutingInput, route, routeAfterLapse } from './routing.ts';

/**
 * The decision tables of the contract, row by row, written without looking at the code they check. The letters are the
 * contract's: M mode, C capabilities, P preferred contact, L live state, F fallback mode, W webhook usable, B background
 * usable, H background beat.
 */
interface Facts {
  readonly M: RoutingInput['mode'];
  readonly C: ReadonlySet<Channel>;
  readonly P: Channel | null;
  readonly L: RoutingInput['live'];
  readonly F: RoutingInput['fallback'];
  readonly W: boolean;
  readonly B: boolean;
  readonly H: RoutingInput['bgBeat'];
}

type Result = readonly [effective: Channel, route: string, what: RoutingDecision['action'], reason?: string];

interface Row {
  readonly n: string;
  readonly when: (f: Facts) => boolean;
  readonly gives: Result | ((f: Facts) => Result);
}

const LIVE: Result = ['live', 'live', 'offer'];
const bg = (how: string): Result => ['bg', `background_${how}`, 'push_bg'];
const webhook = (how: string): Result => ['webhook', `webhook_${how}`, 'post_webhook'];
const inbox = (how: string): Result => ['inbox', `inbox_${how}`, 'keep_in_inbox'];
const FB = ({ B, W }: Facts): Result => (B ? bg('fallback') : W ? webhook('fallback') : inbox('fallback'));
const webhookOrInbox = ({ W }: Facts): Result => (W ? webhook('fallback') : inbox('fallback'));
const missed = (reason: string): Result => ['live', 'live', 'miss', reason];

const notFresh = ({ L }: Facts): boolean => L === 'stale' || L === 'none';
const live = ({ C }: Facts): boolean => C.has('live');
/** "bg" in the column of capabilities means B. */
const declares = (f: Facts, channel: Channel): boolean => (channel === 'bg' ? f.B : f.C.has(channel));
const auto = (f: Facts, P: Channel | null): boolean =>
  f.M === 'auto' && f.P === P && (P === null || declares(f, P));

const FORCED: readonly Row[] = [
  { n: '1', when: (f) => f.M === 'live' && live(f) && f.L === 'fresh', gives: LIVE },
  { n: '2', when: (f) => f.M === 'live' && live(f) && notFresh(f) && f.F === 'background', gives: FB },
  {
    n: '3',
    when: (f) => f.M === 'live' && live(f) && notFresh(f) && f.F === 'none',
    gives: (f) => missed(f.L === 'stale' ? 'heartbeat_stale' : 'no_session'),
  },
  {
    n: '4',
    when: (f) => f.M === 'live' && live(f) && notFresh(f) && f.F === 'live_only',
    gives: ['live', 'live', 'hold'],
  },
  { n: '5', when: (f) => f.M === 'live' && !live(f) && f.F === 'background', gives: FB },
  {
    n: '6',
    when: (f) => f.M === 'live' && !live(f) && f.F !== 'background',
    gives: missed('capability_missing'),
  },
  { n: '7', when: (f) => f.M === 'bg' && f.B, gives: bg('direct') },
  { n: '8', when: (f) => f.M === 'bg' && !f.B && f.W, gives: webhook('fallback') },
  { n: '9', when: (f) => f.M === 'bg' && !f.B && !f.W, gives: inbox('fallback') },
  { n: '10', when: (f) => f.M === 'inbox', gives: inbox('direct') },
  { n: '11', when: (f) => f.M === 'webhook' && f.W, gives: webhook('direct') },
  { n: '12', when: (f) => f.M === 'webhook' && !f.W, gives: inbox('fallback') },
];

const row22 = (f: Facts): boolean => live(f) && f.L === 'fresh';
const row23 = (f: Facts): boolean => f.B && (f.H !== 'stale' || live(f)) && !row22(f);

const AUTO: readonly Row[] = [
  { n: '13', when: (f) => auto(f, 'live') && f.L === 'fresh', gives: LIVE },
  { n: '14', when: (f) => auto(f, 'live') && f.B && notFresh(f), gives: bg('fallback') },
  { n: '15', when: (f) => auto(f, 'live') && !f.B && notFresh(f) && f.W, gives: webhook('fallback') },
  { n: '16', when: (f) => auto(f, 'live') && !f.B && notFresh(f) && !f.W, gives: inbox('fallback') },
  { n: '17', when: (f) => auto(f, 'bg') && f.H !== 'stale', gives: bg('direct') },
  { n: '18', when: (f) => auto(f, 'bg') && f.H === 'stale' && live(f) && f.L === 'fresh', gives: LIVE },
  {
    n: '19',
    when: (f) => auto(f, 'bg') && f.H === 'stale' && !(live(f) && f.L === 'fresh'),
    gives: webhookOrInbox,
  },
  { n: '20', when: (f) => auto(f, 'inbox'), gives: inbox('direct') },
  { n: '21', when: (f) => auto(f, 'webhook') && f.W, gives: webhook('direct') },
  { n: '22', when: (f) => auto(f, 'webhook') && !f.W && row22(f), gives: LIVE },
  { n: '23', when: (f) => auto(f, 'webhook') && !f.W && row23(f), gives: bg('fallback') },
  { n: '24', when: (f) => auto(f, 'webhook') && !f.W && !row22(f) && !row23(f), gives: inbox('fallback') },
];

/** Rows 25 to 31: nobody preferred anything. */
const UNDIRECTED: readonly Row[] = [
  { n: '25', when: (f) => live(f) && f.L === 'fresh', gives: LIVE },
  { n: '26', when: (f) => live(f) && f.B && notFresh(f), gives: bg('fallback') },
  { n: '27', when: (f) => live(f) && !f.B && notFresh(f), gives: webhookOrInbox },
  { n: '28', when: (f) => f.B && !live(f) && f.H !== 'stale', gives: bg('direct') },
  { n: '29', when: (f) => f.B && !live(f) && f.H === 'stale', gives: webhookOrInbox },
  {
    n: '30',
    when: (f) => f.C.has('webhook') && !live(f) && !f.B,
    gives: ({ W }) => (W ? webhook('direct') : inbox('fallback')),
  },
  { n: '31', when: (f) => !live(f) && !f.B && !f.C.has('webhook'), gives: inbox('direct') },
];

const NULL_ROWS = UNDIRECTED.map((row) => ({ ...row, when: (f: Facts) => auto(f, null) && row.when(f) }));

/** The sentence under the table: a P that the list no longer contains is not usable, and the rest is a fallback. */
const LOST_PREFERENCE = UNDIRECTED.map(({ n, when, gives }) => ({
  n: `${n}, P lost`,
  when: (f: Facts) => f.M === 'auto' && f.P !== null && !declares(f, f.P) && when(f),
  gives: (f: Facts): Result => {
    const [effective, taken, what] = typeof gives === 'function' ? gives(f) : gives;
    return [effective, taken.replace('_direct', '_fallback'), what];
  },
}));

const TABLE: readonly Row[] = [...FORCED, ...AUTO, ...NULL_ROWS, ...LOST_PREFERENCE];

const SUBSETS: readonly Channel[][] = Array.from({ length: 2 ** CHANNELS.length - 1 }, (_, bits) =>
  CHANNELS.filter((_channel, place) => ((bits + 1) >> place) & 1),
);

function* everyInput(): Generator<RoutingInput> {
  for (const mode of DELIVERY_MODES)
    for (const fallback of LIVE_FALLBACK_MODES)
      for (const capabilities of SUBSETS)
        for (const preferred of [null, ...CHANNELS])
          for (const liveState of ['none', 'stale', 'fresh'] as const)
            for (const hasWebhookUrl of [false, true])
              for (const parentTakesBg of [false, true])
                for (const bgBeat of BEAT_STATES) {
                  yield {
                    at: 7,
                    mode,
                    fallback,
                    capabilities,
                    preferred,
                    live: liveState,
                    hasWebhookUrl,
                    parentTakesBg,
                    bgBeat,
                  };
                }
}

const factsOf = (input: RoutingInput): Facts => ({
  M: input.mode,
  C: new Set(input.capabilities),
  P: input.preferred,
  L: input.live,
  F: input.fallback,
  W: input.capabilities.includes('webhook') && input.hasWebhookUrl,
  B: input.capabilities.includes('bg') || input.parentTakesBg,
  H: input.bgBeat,
});

const ALL = [...everyInput()];
const base: RoutingInput = {
  at: 7,
  mode: 'auto',
  fallback: 'background',
  capabilities: ['live', 'bg', 'inbox'],
  preferred: null,
  live: 'fresh',
  hasWebhookUrl: false,
  parentTakesBg: false,
  bgBeat: 'unknown',
};

describe('routing › every combination of inputs', () => {
  test('is 40,500 of them', () => {
    expect(ALL).toHaveLength(5 * 3 * 15 * 5 * 3 * 2 * 2 * 3);
  });

  test('falls under exactly one row of the tables, and every row is reached', () => {
    const reached = new Set<string>();
    for (const input of ALL) {
      const rows = TABLE.filter(({ when }) => when(factsOf(input)));
      if (rows.length !== 1)
        expect.fail(`${JSON.stringify(input)} is in rows ${rows.map(({ n }) => n).join()}`);
      for (const { n } of rows) reached.add(n);
    }
    expect(TABLE.filter(({ n }) => !reached.has(n)).map(({ n }) => n)).toEqual([]);
  });

  test('is decided as its row says', () => {
    for (const input of ALL) {
      const facts = factsOf(input);
      const row = TABLE.find(({ when }) => when(facts));
      const said = typeof row?.gives === 'function' ? row.gives(facts) : row?.gives;
      const { effective, route: taken, action, missReason } = route(input);
      const got: Result =
        missReason === null ? [effective, taken, action] : [effective, taken, action, missReason];
      if (JSON.stringify(got) !== JSON.stringify(said)) {
        expect.fail(`row ${row?.n} says ${String(said)}, got ${String(got)} for ${JSON.stringify(input)}`);
      }
    }
  });

  test('warns of a stale handler and of an inbox nobody declared, and of nothing else', () => {
    for (const input of ALL) {
      const { effective, warning } = route(input);
      const stale = effective === 'bg' && input.bgBeat === 'stale';
      const undeclared = effective === 'inbox' && !input.capabilities.includes('inbox');
      const expected = stale ? 'bg_handler_stale' : undeclared ? 'inbox_not_declared' : null;
      if (warning !== expected) {
        expect.fail(`${warning} for ${JSON.stringify(input)}`);
      }
    }
  });

  test('gives a push to the parent only when the agent itself takes none', () => {
    for (const input of ALL) {
      const { effective, viaParent } = route(input);
      if (viaParent !== (effective === 'bg' && !input.capabilities.includes('bg'))) {
        expect.fail(JSON.stringify(input));
      }
    }
  });

  test('lets the fallback mode govern the lapse, but holds nothing in auto', () => {
    for (const input of ALL) {
      const expected =
        input.mode === 'auto' && input.fallback === 'live_only' ? 'background' : input.fallback;
      if (route(input).onLapse !== expected) {
        expect.fail(JSON.stringify(input));
      }
    }
  });

  test('is told by its trace: what was asked, each channel looked at once, what came of it', () => {
    for (const input of ALL) {
      const { trace, effective, route: taken, missReason } = route(input);
      const looked = trace.slice(1, -1).map(({ step }) => step);
      const told =
        trace[0]?.step === 'requested' &&
        trace[0].result === input.mode &&
        trace.at(-1)?.step === 'resolved' &&
        trace.at(-1)?.result === effective &&
        trace.at(-1)?.reason === (missReason ?? taken) &&
        new Set(looked).size === looked.length &&
        looked.at(-1) === effective &&
        trace.slice(1, -2).every(({ result, reason }) => result === 'skipped' && reason !== null) &&
        trace.every(({ at }) => at === input.at);
      if (!told) {
        expect.fail(`${JSON.stringify(trace)} for ${JSON.stringify(input)}`);
      }
    }
  });
});

describe('routing › the worked example', () => {
  const asked: RoutingInput = { ...base, mode: 'live' };

  test('a fresh session is offered the message', () => {
    expect(route(asked)).toMatchObject({ action: 'offer', effective: 'live', route: 'live', warning: null });
  });

  test('a stale session leaves it to the background, and says so', () => {
    const decision = route({ ...asked, live: 'stale' });
    expect(decision).toMatchObject({ action: 'push_bg', effective: 'bg', route: 'background_fallback' });
    expect(decision.trace.map(({ step, result, reason }) => [step, result, reason])).toEqual([
      ['requested', 'live', 'live_fallback_mode background'],
      ['live', 'skipped', 'heartbeat_stale'],
      ['bg', 'usable', null],
      ['resolved', 'bg', 'background_fallback'],
    ]);
  });

  test('an unclaimed offer goes the same way', () => {
    const decision = routeAfterLapse(asked, 'claim_window_elapsed');
    expect(decision).toMatchObject({ action: 'push_bg', effective: 'bg', route: 'background_fallback' });
    expect(decision.trace[0]).toMatchObject({
      step: 'live_window',
      result: 'live_unclaimed_background_fallback',
      reason: 'claim_window_elapsed',
    });
  });
});

describe('routing › after a lapse', () => {
  test('is the fallback chain for every input', () => {
    for (const input of ALL) {
      const { effective, route: taken, action } = routeAfterLapse(input, 'session_detached');
      expect([effective, taken, action]).toEqual(FB(factsOf(input)));
    }
  });
});
