import { nameSkeletons } from '@parley/protocol/channels/confusables';
import type { EvictionReason } from '@parley/protocol/channels/errors';
import * as limits from '@parley/protocol/channels/limits';
import { isValidName } from '@parley/protocol/channels/names';
import type { RosterEntry } from '@parley/protocol/channels/types';
import type { SharedRedis } from '../../platform/redis/shared-redis.ts';
import type { Platform } from '../../platform.ts';
import { handleOf, type KeptEvent } from '../channel.ts';
import { admitCreator } from '../creators.ts';
import type { ListedChannel } from '../listed-channel.ts';
import { fingerprintOf } from '../membership.ts';
import { isClientId, isText, quoted, textError } from '../sent-text.ts';
import type { ChannelSettings } from '../settings.ts';
import type {
  ChannelCounters,
  ChannelListener,
  ChannelStore,
  ChannelCredentials,
  JoinInput,
  JoinResult,
  Page,
  ChannelReader,
  SendInput,
  Waits,
} from '../store.ts';
import { ChannelBook } from './book.ts';
import { Chores } from './chores.ts';
import { ChannelRunner } from './channel-runner.ts';
import { type ChannelFunction, CHANNELS } from './channel-functions.ts';
import { POLL, STREAM } from './channel-record.ts';
import { checkRedis } from './redis-check.ts';
import { accepted, credentialsWord, handle, hashed, reached, type Reply } from './replies.ts';
import { Upkeep } from './upkeep.ts';
import { pageOf, type Watch } from './watch.ts';
import { Watches } from './watches.ts';

export interface RedisChannelStoreOptions extends Pick<Platform, 'clock' | 'random' | 'log'> {
  readonly redis: SharedRedis;
  /** What no other node calls itself. */
  readonly node: string;
  readonly settings: ChannelSettings;
}

/** More than this often nobody sends while one answer is under way: what was heard is of a log that is no more. */
const MOST_LOOKS = 3;

/** How often those who wait here are renewed and looked after: a lost hint costs no more. */
const BEAT_MS = 5_000;

/**
 * The channels of several nodes, in the memory of the Redis they share. Each call is one function of a library, and so one
 * atomic step and one round trip. Redis holds hashes of tokens and participant ids, never what opens a channel.
 */
export class RedisChannelStore implements ChannelStore {
  readonly #options: RedisChannelStoreOptions;
  readonly #runner: ChannelRunner;
  readonly #book: ChannelBook;
  readonly #watches: Watches;
  readonly #upkeep: Upkeep;
  readonly #chores: Chores;
  readonly refresh = (): Promise<void> => this.#book.refresh();
  readonly listing = (most: number): Promise<ListedChannel[]> =>
    this.#upkeep.listing(most, this.#options.clock.now());
  readonly #back = (): void => void this.#lookOnceHeard();
  #listeners = 0;
  #closed = false;

  constructor(options: RedisChannelStoreOptions) {
    this.#options = options;
    const { redis, clock, settings } = options;
    this.#chores = new Chores(options);
    const baseOf = (channelId: string): string => redis.key(`channel:{${channelId}}`);
    this.#book = new ChannelBook(redis, clock, baseOf);
    this.#watches = new Watches(redis, baseOf, options.node);
    this.#runner = new ChannelRunner({
      ...options,
      baseOf,
      book: this.#book,
      closing: (channelId) => this.#chores.after(settings.noticeMs, () => this.#run('expire', channelId)),
    });
    this.#upkeep = new Upkeep({ settings, book: this.#book, run: (step, id) => this.#run(step, id) });
  }

  async start(): Promise<void> {
    const { redis, settings, log } = this.#options;
    await checkRedis({ redis, log, strict: settings.strict });
    await CHANNELS.load(redis.commands);
    await this.#book.start();
    await this.#watches.start();
    // After a reconnection: what happened meanwhile was not heard.
    for (const connection of [redis.listening, redis.commands]) connection.on('ready', this.#back);
    this.#chores.every(BEAT_MS, () => this.#beat());
    this.#chores.every(settings.sweepMs, () => this.#upkeep.sweep());
  }

  async admitCreator(address: string): Promise<void> {
    const held = await reached(this.#book.look(address));
    admitCreator(this.#options.settings, address, { held, retainedBytes: this.#book.retainedBytes });
  }

  async create(address: string): Promise<{ channelId: string; token: string }> {
    const { random, clock, settings } = this.#options;
    const { retainedBytes } = this.#book;
    admitCreator(settings, address, { held: 0, retainedBytes });
    const most = settings.limited ? settings.concurrentPerAddress(address) : undefined;
    const token = random.hex(limits.TOKEN_BYTES);
    for (;;) {
      const channelId = random.hex(limits.CHANNEL_ID_BYTES);
      const until = clock.now() + settings.lifetimeMs;
      const held = await reached(this.#book.take(address, channelId, { until, most }));
      if (held !== undefined) admitCreator(settings, address, { held, retainedBytes });
      const [code] = await this.#run('create', channelId, [hashed(token), address]);
      if (code === 'ok') return { channelId, token };
    }
  }

  async join(channelId: string, { token, name, keyFp, resume }: JoinInput): Promise<JoinResult> {
    const participantId = this.#options.random.hex(limits.PARTICIPANT_ID_BYTES);
    const valid = isValidName(name);
    const [letters, shapes] = valid ? nameSkeletons(name) : ['', ''];
    const resumed = typeof resume === 'string' ? resume : '';
    const reply = await this.#run('join', channelId, [
      hashed(token),
      valid ? 1 : 0,
      handleOf(resumed),
      hashed(resume),
      handleOf(participantId),
      hashed(participantId),
      JSON.stringify(name ?? ''),
      JSON.stringify(fingerprintOf(keyFp)),
      JSON.stringify(letters),
      JSON.stringify(shapes),
    ]);
    const [again, known, shown, cursor] = accepted(reply) as [number, string, string, number];
    const roster = JSON.parse(shown) as RosterEntry[];
    return {
      participantId: again === 1 ? resumed : participantId,
      name: JSON.parse(known) as string,
      participants: roster.map((present) => present.name),
      roster,
      cursor,
      resumed: again === 1,
    };
  }

  async send(channelId: string, input: SendInput): Promise<{ index: number; duplicate: boolean }> {
    const { settings } = this.#options;
    const { text, clientId } = input;
    const [sent, bytes] = isText(text) ? quoted(text) : [textError(text).code, 0];
    const args = [credentialsWord(input), sent];
    if (isClientId(clientId)) args.push(clientId);
    const reply = await this.#runner.send(channelId, args, bytes);
    const [index, duplicate] = accepted(reply) as [number, number];
    if (this.#book.retainedBytes + bytes > settings.globalMaxBytes) {
      await this.#chores.try(() => this.#upkeep.keepWithinBudget(channelId));
    }
    return { index, duplicate: duplicate === 1 };
  }

  async admit(
    channelId: string,
    credentials: ChannelCredentials,
    { since, waits }: { since: number; waits: Waits },
  ): Promise<{ reader: ChannelReader; page: Page }> {
    const memberKey = handle(credentials.participantId);
    const watch = waits === 'never' ? undefined : this.#watches.open(channelId);
    const waitId = this.#watches.expect(waits === 'always' ? STREAM : POLL);
    let booked = false;
    watch?.enter(memberKey);
    try {
      if (watch) await reached(watch.subscribed);
      for (let look = 1; ; look++) {
        const args = [credentialsWord(credentials), since, waits, this.#options.node, waitId];
        const reply = await this.#run('admit', channelId, args);
        const [events, length, roster] = accepted(reply) as [string[], number, string];
        if (watch && (waits === 'always' || events.length === 0)) {
          // What was told while nobody waited here was not heard here.
          const isStale = watch.length < length || look > MOST_LOOKS;
          if (isStale && watch.waiting.length === 0) watch.restart(length);
          watch.told(memberKey);
          booked = true;
          // Heard while the answer was under way: to be read, not to be waited for.
          if (watch.length > Math.max(since, length) && look <= MOST_LOOKS) continue;
          // Whoever ends the waiting lets go of it.
          booked = false;
        }
        return { reader: { channelId, memberKey, waitId }, page: pageOf(since, events, length, roster) };
      }
    } finally {
      if (booked) this.#release(channelId, memberKey, waitId);
      // Once whoever goes on to wait has said so.
      setImmediate(() => {
        if (watch) this.#exit(watch, memberKey);
        this.#watches.arrived(channelId, waitId);
      });
    }
  }

  read(channelId: string, since: number): Page | Promise<Page | undefined> {
    return this.#watches.get(channelId)?.page(since) ?? this.#read(channelId, since);
  }

  async events(channelId: string, after: number, limit: number): Promise<KeptEvent[]> {
    const first = after + 1;
    const reply = await this.#run('events', channelId, [first, first + limit - 1]);
    const [, , found] = reply as unknown as [string, unknown, string[]];
    return found.map((json, at) => ({ seq: first + at, prev: first + at - 1, json }));
  }

  waiting({ channelId, memberKey, waitId }: ChannelReader, change: 1 | -1): void {
    this.#listeners += change;
    const watch = this.#watches.get(channelId);
    if (change === 1) watch?.enter(memberKey);
    else if (watch) this.#exit(watch, memberKey, waitId);
  }

  async leave(channelId: string, credentials: ChannelCredentials): Promise<void> {
    accepted(await this.#run('leave', channelId, [credentialsWord(credentials)]));
  }

  counters(): ChannelCounters {
    const { channels, asleep, ...held } = this.#book.totals;
    const sinceStart = this.#runner.sinceStart();
    return { ...held, ...sinceStart, channels: channels - asleep, asleep, listeners: this.#listeners };
  }

  subscribe(listener: ChannelListener): void {
    this.#watches.subscribe(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#chores.stop();
    const { commands, listening, up } = this.#options.redis;
    for (const connection of [listening, commands]) connection.off('ready', this.#back);
    this.#watches.closeAll();
    if (up) await this.#book.settle();
  }

  async #read(channelId: string, since: number): Promise<Page | undefined> {
    const [code, , events, length, roster] = await this.#run('read', channelId, [since]);
    return code === 'ok' ? pageOf(since, events as string[], length as number, roster as string) : undefined;
  }

  #run(step: ChannelFunction, channelId: string, args: readonly (string | number)[] = []): Promise<Reply> {
    return this.#runner.run(step, channelId, args);
  }

  /** The last of a member takes with it all that Redis knows of those here. */
  #exit(watch: Watch, memberKey: string, waitId?: string): void {
    const over = watch.exit(memberKey);
    if (this.#closed) return;
    if (over) this.#run('unwait', watch.channelId, [this.#options.node, memberKey]).catch(() => {});
    else if (waitId !== undefined) this.#release(watch.channelId, memberKey, waitId);
  }

  #release(channelId: string, memberKey: string, waitId: string): void {
    this.#run('release', channelId, [this.#options.node, memberKey, waitId]).catch(() => {});
  }

  /** Not before it hears of channels again, which is asked for before this: what came in between would be missed. */
  async #lookOnceHeard(): Promise<void> {
    await this.#options.redis.heardUntilNow().catch(() => {});
    if (!this.#closed) this.#beat();
  }

  /** Those who wait here still do; what was not heard is read now; channels nobody waits in are heard no more. */
  #beat(): void {
    void this.#book.refresh().catch(() => {});
    void this.#book.settle();
    for (const watch of this.#watches.all) {
      if (watch.isIdle) this.#watches.close(watch);
      // Redis is away: the next beat looks again.
      else this.#renew(watch).catch(() => {});
    }
  }

  async #renew(watch: Watch): Promise<void> {
    const { channelId, waiting } = watch;
    const [code, , told, ago] = await this.#run('renew', channelId, [this.#options.node, ...waiting]);
    if (this.#watches.get(channelId) !== watch) return;
    if (code !== 'ok') {
      if (waiting.length === 0) return;
      // Its end was not heard, or not yet.
      if (code === 'gone') this.#watches.ended(watch, told as EvictionReason, Number(ago));
      else this.#watches.lost(watch);
      return;
    }
    const known = told as number;
    if (known < watch.length) watch.restart(known);
    while (watch.length < known && !this.#closed) {
      const page = await this.#read(channelId, watch.length);
      if (!page || page.cursor <= watch.length) return;
      const roster = JSON.stringify(page.roster);
      const found = await this.events(channelId, watch.length - 1, page.cursor - watch.length);
      if (found.length === 0) return;
      for (const { seq, json } of found) this.#watches.event(watch, seq, json, roster);
    }
  }
}
