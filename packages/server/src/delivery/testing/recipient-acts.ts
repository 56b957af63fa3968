import type { ProvenStage } from '@parley/protocol/delivery/vocabulary';
import type { FakeClock } from '../../testing/fake-clock.ts';
import type { SinkAnswer } from '../../testing/webhook-sink.ts';
import type { MessageClient } from './message-client.ts';

export const SECOND = 1000;
/** Longer than a lease and the patience with a silent worker. */
export const LEASE_OVER = 1_100 * SECOND;
export const STALE = 130 * SECOND;

/** What a recipient does, and what its own log proves from then on; `why`: what the sender is told of the present. */
export interface Step {
  readonly does: string;
  readonly act: (scene: Scene) => Promise<unknown>;
  readonly proves?: ProvenStage;
  readonly why?: string;
}

/** One way of a message: how it is sent, to whom, and what becomes of it. */
export interface Walk {
  readonly name: string;
  readonly agent: object;
  readonly before?: (scene: Scene) => Promise<unknown>;
  readonly send: object;
  /** What the recipient, its worker list or its endpoint was shown once it is sent. */
  readonly first: ProvenStage;
  readonly why?: string;
  readonly sink?: (before: number) => SinkAnswer | Promise<SinkAnswer>;
  readonly steps: readonly Step[];
}

/** An agent and the message that is on its way to it. */
export interface Scene {
  readonly max: MessageClient;
  readonly clock: FakeClock;
  readonly slug: string;
  readonly id: string;
  readonly execution: string;
}

export const later = (ms: number) => async (scene: Scene) => {
  await scene.clock.advance(ms);
  await scene.clock.advance(0);
};
export const attach = ({ max, slug }: Scene) => max.attach(slug, { session_token: 'T' });
export const beats = ({ max, slug }: Scene) => max.workerBeats('w', [slug]);
export const sessionBeats = ({ max, slug }: Scene) => max.session('POST', slug, 'main/heartbeat', {});
export const looks = ({ max, slug }: Scene) => max.inbox(slug);
export const reads = ({ max, id }: Scene) => max.mark(id, 'read');
export const acks = ({ max, id }: Scene) => max.mark(id, 'ack');
export const claims = ({ max, execution }: Scene) => max.claim(execution, 'w');
export const liveClaims = ({ max, execution }: Scene) => max.liveClaim(execution, { session_token: 'T' });
export const succeeds = ({ max, execution }: Scene) => max.outcome(execution, { success: true });
export const fails = ({ max, execution }: Scene) => max.outcome(execution, { success: false, error: 'no' });
