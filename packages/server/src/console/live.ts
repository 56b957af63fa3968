import type { ServerResponse } from 'node:http';
import type { ConsoleKind } from '@parley/protocol/console/kinds';
import type { Platform } from '../platform.ts';
import type { Timer } from '../platform/clock.ts';
import { CredentialWatch } from '../identity/keys/credential-watch.ts';
import { memoryTables } from '../continuity/watched.ts';
import { coordinationTables } from '../coordination/watched.ts';
import { deliveryTables } from '../delivery/watched.ts';
import type { IdentityService } from '../identity/service.ts';
import { identityTables } from '../identity/watched.ts';
import { type SseConnection, SseFace } from '../platform/streams/sse.ts';
import { sseFrame } from '../platform/streams/sse-frame.ts';
import { roomTables } from '../rooms/watched.ts';
import { scheduleTables } from '../schedule/watched.ts';
import type { Credential } from '../wire/caller.ts';

/** Which kind of object a page shows from which tables; channels are in none. */
const KINDS: Readonly<Record<Exclude<ConsoleKind, 'channels'>, readonly string[]>> = {
  agents: [...identityTables.agents, ...deliveryTables.agents],
  messages: deliveryTables.messages,
  executions: deliveryTables.executions,
  cues: deliveryTables.cues,
  rooms: roomTables.rooms,
  memory: memoryTables,
  schedule: scheduleTables,
  coordination: coordinationTables,
  webhooks: [...roomTables.webhooks, ...deliveryTables.webhooks, 'webhook_results'],
  keys: identityTables.keys,
  activity: [...deliveryTables.events, 'console_audit'],
  jobs: ['jobs'],
};

/** Changes are told together: ten times a second at most, and the first after a pause nearly at once. */
const GATHER_MS = 100;
const FIRST_MS = 10;
const RECHECK_MS = 30_000;
const EVERYTHING = 'all';

/**
 * Tells open pages which kinds of objects changed. They are hints: a page reads again what it shows, with its own rights, so a
 * hint says nothing of anybody's. Each carries a number; a page that comes back with the last one has missed nothing, and with any
 * other reads everything again.
 */
export class LiveHints {
  readonly #platform: Platform;
  readonly #face: SseFace;
  readonly #watch: CredentialWatch;
  /** They end with the session they were opened with. */
  readonly #pages = new Set<SseConnection>();
  readonly #gathered = new Set<string>();
  readonly #boot: string;
  readonly #leave: () => void;
  #timer: Timer | undefined;
  #toldAt = 0;
  #count = 0;

  constructor(platform: Platform, identity: IdentityService) {
    const { wheel, database, clock, log, bus, cluster } = platform;
    this.#platform = platform;
    this.#face = new SseFace({ wheel });
    this.#boot = clock.now().toString(36);
    this.#watch = new CredentialWatch({
      identity,
      wheel,
      everyMs: RECHECK_MS,
      onError: log.failed('console_stream_failed'),
    });
    for (const [kind, tables] of Object.entries(KINDS)) {
      database.changes.watch(tables, () => this.changed(kind));
    }
    // What another node did may not have been heard of: a page that is looked at reads again what it shows.
    this.#leave = bus.onGap(() => {
      if (cluster.others().length > 0) this.changed(EVERYTHING);
    });
  }

  open(response: ServerResponse, credential: Credential, lastSeen: string | undefined): void {
    const missed = lastSeen !== undefined && lastSeen !== this.#id();
    const first = `retry: 1000\n\n${this.#frame(missed ? [EVERYTHING] : [])}`;
    const closed = (): void => {
      this.#pages.delete(page);
      unguard();
    };
    const page = this.#face.open(response, { closed }, first);
    this.#pages.add(page);
    const unguard = this.#watch.guard(credential, () => page.end());
  }

  close(): void {
    this.#leave();
    this.#timer?.cancel();
    for (const page of this.#pages) page.end();
    this.#watch.close();
  }

  /** For what no table holds. */
  changed(kind: string): void {
    this.#count += 1;
    if (this.#pages.size === 0) return;
    this.#gathered.add(kind);
    if (this.#timer) return;
    const { clock } = this.#platform;
    const wait = Math.max(FIRST_MS, this.#toldAt + GATHER_MS - clock.monotonic());
    this.#timer = clock.after(wait, () => this.#tell());
  }

  #tell(): void {
    this.#timer = undefined;
    this.#toldAt = this.#platform.clock.monotonic();
    const frame = this.#frame([...this.#gathered]);
    this.#gathered.clear();
    for (const page of this.#pages) page.send(frame);
  }

  #id(): string {
    return `${this.#boot}-${this.#count}`;
  }

  #frame(kinds: readonly string[]): string {
    return sseFrame({
      id: this.#id(),
      event: 'changed',
      data: JSON.stringify({ kinds, at: this.#platform.clock.now() }),
    });
  }
}
