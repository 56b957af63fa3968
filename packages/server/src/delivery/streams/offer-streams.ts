import type { ServerResponse } from 'node:http';
import type { IdentityService } from '../../identity/service.ts';
import { CredentialWatch } from '../../identity/keys/credential-watch.ts';
import type { Tx } from '../../platform/database/database.ts';
import { variableName } from '../../config/settings.ts';
import type { Slots } from '../../platform/limits/slots.ts';
import { SseFace } from '../../platform/streams/sse.ts';
import type { Platform } from '../../platform.ts';
import type { AgentSide } from '../create-agents.ts';
import type { MessagingContext } from '../messaging-context.ts';
import { mustPass } from '../../wire/delivery/errors.ts';
import { sessionsById } from '../sessions/session-store.ts';
import { type Monitor, OfferStream, type OfferStreamParts } from './offer-stream.ts';

const SESSION_OVER = 'delivery.session-over';
const RECHECK_MS = 30_000;

/** `GET /v1/agents/{ref}/live-sessions/{label}/stream`: how a monitor learns of offers. */
export class OfferStreams {
  readonly #parts: OfferStreamParts;
  readonly #slots: Slots;
  readonly #wakes: MessagingContext['wakes'];
  readonly #watch: CredentialWatch;
  readonly #open = new Map<string, Set<OfferStream>>();
  readonly #leaving: readonly (() => void)[];

  constructor(platform: Platform, identity: IdentityService, agents: AgentSide, messaging: MessagingContext) {
    const { bus, config, limits, log, metrics, wheel } = platform;
    const onError = log.failed('offer_stream_failed');
    this.#slots = limits.slots('live_streams', {
      limit: config.rlLiveStreamsPerSession,
      setting: variableName('rlLiveStreamsPerSession'),
    });
    this.#wakes = messaging.wakes;
    this.#parts = { ...messaging, agents, face: new SseFace({ wheel }), onError };
    this.#watch = new CredentialWatch({ identity, wheel, everyMs: RECHECK_MS, onError });
    agents.observers.add({
      sessionDetached: async (tx: Tx, { id }) => tx.afterCommit(() => bus.publish(SESSION_OVER, id)),
    });
    this.#leaving = [
      bus.subscribe(SESSION_OVER, (id) => this.#end(id)),
      bus.onGap(() => void this.#endThoseOver().catch(onError)),
    ];
    metrics.gauge('parley_delivery_offer_streams', 'Open streams of live sessions', () => this.size);
  }

  get size(): number {
    return [...this.#open.values()].reduce((sum, { size }) => sum + size, 0);
  }

  async open(monitor: Monitor, response: ServerResponse): Promise<void> {
    const { id } = monitor.session;
    mustPass(await this.#slots.take(id));
    const streams = this.#open.get(id) ?? new Set();
    const stream: OfferStream = new OfferStream(this.#parts, monitor, response, () => {
      stopListening();
      this.#slots.release(id);
      unguard();
      streams.delete(stream);
      if (streams.size === 0) this.#open.delete(id);
    });
    // Listens before the first look, so that nothing falls in between.
    const stopListening = this.#wakes.onOffersChanged(id, () => stream.look());
    this.#open.set(id, streams.add(stream));
    const unguard = this.#watch.guard(monitor.credential, () => stream.end());
    stream.look();
  }

  /** Ends every stream, for a server that stops. */
  close(): void {
    for (const leave of this.#leaving) leave();
    for (const id of this.#open.keys()) this.#end(id);
    this.#watch.close();
  }

  /** The end of a session may have been missed. */
  async #endThoseOver(): Promise<void> {
    if (this.#open.size === 0) return;
    const sessions = await sessionsById(this.#parts.database.read, [...this.#open.keys()]);
    for (const { id, detached_at } of sessions) if (detached_at !== null) this.#end(id);
  }

  #end(sessionId: string): void {
    for (const stream of this.#open.get(sessionId) ?? []) stream.end();
  }
}
