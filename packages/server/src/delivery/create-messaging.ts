import type { IdentityService } from '../identity/service.ts';
import type { Platform } from '../platform.ts';
import type { AgentSide } from './create-agents.ts';
import { Claims } from './executions/claims.ts';
import { ExecutionAnswers } from './executions/execution-answers.ts';
import { ExecutionList } from './executions/execution-list.ts';
import { HeldOffers } from './executions/held-offers.ts';
import { Journeys } from './executions/journeys.ts';
import { Leases } from './executions/leases.ts';
import { LiveClaims } from './executions/live-claims.ts';
import { LiveOffers } from './executions/live-offers.ts';
import { Outcomes } from './executions/outcomes.ts';
import { Pushes } from './executions/pushes.ts';
import { Replays } from './executions/replay.ts';
import { Verification } from './executions/verification.ts';
import { Workers } from './executions/workers.ts';
import { Boxes } from './messages/boxes.ts';
import { DueMessages } from './messages/due-messages.ts';
import { Fetching } from './messages/fetching.ts';
import { LoopBreaker } from './messages/loop-breaker.ts';
import { MessageMoves } from './records/message-moves.ts';
import { Messages } from './messages/messages.ts';
import { PartyFinder } from './messages/parties.ts';
import { Receipts } from './messages/receipts.ts';
import { Senders } from './messages/senders.ts';
import { Sending } from './messages/sending.ts';
import { SendLimits } from './messages/send-limits.ts';
import { MessageStoring } from './messages/storing.ts';
import { Sweeper } from './messages/sweeper.ts';
import { Sweeps } from './records/sweeps.ts';
import { Tallies } from './records/tallies.ts';
import { monthOf, usedIn } from './messages/usage-store.ts';
import { deliverySettings, type DeliverySettings } from './settings.ts';
import { Outlets } from './records/transport.ts';
import { Wakes } from './records/wakes.ts';

/** Messages and executions: what is sent, how it travels, who takes it and what came of it. */
export interface Messaging {
  readonly settings: DeliverySettings;
  readonly wakes: Wakes;
  readonly sending: Sending;
  readonly messages: Messages;
  readonly boxes: Boxes;
  readonly receipts: Receipts;
  readonly loops: LoopBreaker;
  readonly executions: ExecutionList;
  readonly answers: ExecutionAnswers;
  readonly claims: Claims;
  readonly leases: Leases;
  readonly liveClaims: LiveClaims;
  readonly outcomes: Outcomes;
  readonly verification: Verification;
  readonly replays: Replays;
  readonly workers: Workers;
  /** For whoever carries pushes out of the server. */
  readonly outlets: Outlets;
  readonly tallies: Tallies;
  readonly journeys: Journeys;
  readonly pushes: Pushes;
  readonly moves: MessageMoves;
  close(): void;
}

export function createMessaging(
  platform: Platform,
  identity: IdentityService,
  { recipients, observers }: Pick<AgentSide, 'recipients' | 'observers'>,
): Messaging {
  const { config, database, bus, hub, clock, random, limits } = platform;
  const { directory } = identity;
  const settings = deliverySettings(config);
  const wakes = new Wakes({
    bus,
    waiters: hub.waiters,
    monotonic: () => clock.monotonic(),
    dialect: database.dialect,
  });
  const tallies = new Tallies(database.dialect, random);
  const sweeps = new Sweeps(platform);
  const outlets = new Outlets();
  const ground = { ...platform, outlets, directory, settings, recipients, wakes, tallies, sweeps };
  const journeys = new Journeys(ground);
  const moves = new MessageMoves(ground);
  const held = new HeldOffers(ground);
  const pushes = new Pushes({ ...ground, journeys, moves, held });
  const roads = { ...ground, journeys, moves, pushes, held };
  const offers = new LiveOffers(roads);
  const leases = new Leases({ ...roads, offers });
  observers.add(offers);
  new DueMessages({ ...roads, offers }).define();
  new Sweeper(roads).define();
  identity.countUsage(async (ownerId) => {
    const used = await usedIn(database.read, ownerId, monthOf(clock.now()));
    return { activeCues: 0, executionsThisMonth: used.executions, messagesThisMonth: used.messages };
  });
  const loops = new LoopBreaker(roads);
  const senders = new Senders({ directory, requireSender: settings.requireSender });
  const sending = new Sending({
    ...roads,
    loops,
    parties: new PartyFinder({ ...ground, senders }),
    limits: new SendLimits(limits, settings),
    storing: new MessageStoring(roads),
  });
  return {
    settings,
    outlets,
    tallies,
    wakes,
    sending,
    loops,
    leases,
    journeys,
    pushes,
    moves,
    messages: new Messages(ground),
    boxes: new Boxes({ ...ground, fetching: new Fetching(ground) }),
    receipts: new Receipts(roads),
    executions: new ExecutionList(ground),
    answers: new ExecutionAnswers(ground),
    claims: new Claims({ ...roads, leases }),
    liveClaims: new LiveClaims({ ...roads, leases }),
    outcomes: new Outcomes(roads),
    verification: new Verification(roads),
    replays: new Replays(roads),
    workers: new Workers(ground),
    close: () => wakes.close(),
  };
}
