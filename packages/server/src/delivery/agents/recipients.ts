import type { Channel } from '@parley/protocol/delivery/vocabulary';
import { parseAgentAddress } from '@parley/protocol/identity/agent-address';
import { identityTables } from '../../identity/watched.ts';
import { addressOf, type AgentName } from '../../identity/agents/agent-details.ts';
import type { Agents } from '../../identity/agents/agents.ts';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { Remembered } from '../../platform/database/remembered.ts';
import type { AgentsContext } from '../agents-context.ts';
import { effectiveCapabilities } from './capabilities.ts';
import { beatState } from '../routing/freshness.ts';
import type {
  AttachedSession,
  BackgroundTarget,
  ListedRecipient,
  ParentTarget,
  Recipient,
} from '../routing/recipient.ts';
import {
  attachedSessions,
  attachedSessionsOf,
  type SessionRow,
  sessionsById,
  sessionsForCue,
} from '../sessions/session-store.ts';
import { agentsWithTask, touchBackground } from './agent-store.ts';
import { backgroundBeats, type RecipientRow, recipientRow, recipientRows } from './recipient-store.ts';

/** What is stored of an agent and hardly changes between two messages. How fresh it is, the clock says each time. */
interface Profile {
  readonly row: RecipientRow;
  readonly name: AgentName;
  readonly inboundAllow: readonly string[];
  readonly parent: RecipientRow | undefined;
}

const KEPT = 10_000;

/** What messages ask of agents. */
export class Recipients {
  readonly #options: AgentsContext;
  readonly #profiles: Remembered<Profile>;
  readonly #sessions: Remembered<readonly SessionRow[]>;

  constructor(options: AgentsContext) {
    this.#options = options;
    this.#profiles = new Remembered({
      ...options,
      tables: ['agent_delivery', ...identityTables.agents, ...identityTables.owners],
      most: KEPT,
    });
    this.#sessions = new Remembered({ ...options, tables: ['live_sessions'], most: KEPT });
  }

  /** By suffix, deleted ones not, and nobody where nobody is meant. Inside a transaction it sees what that has changed. */
  async find(reader: Reader, suffix: string | null): Promise<Recipient | undefined> {
    if (suffix === null) return undefined;
    const profile = await this.#profile(reader, suffix);
    return profile && this.#recipient(suffix, profile, await this.#sessionRows(reader, suffix));
  }

  /** Many at once, for lists: a few statements, however many they are. */
  async findAll(reader: Reader, suffixes: readonly string[]): Promise<ReadonlyMap<string, ListedRecipient>> {
    const { directory } = this.#options.identity;
    const [rows, named, attached] = await Promise.all([
      recipientRows(reader, suffixes),
      directory.bySuffix(suffixes, reader),
      attachedSessionsOf(reader, suffixes),
    ]);
    const owners = [...named.values()].map(({ ownerId }) => ownerId);
    const ofParents = [...rows.values()].flatMap(({ parent }) => (parent === null ? [] : [parent]));
    const [slugs, parents] = await Promise.all([
      directory.ownerSlugs(reader, owners),
      recipientRows(reader, ofParents),
    ]);
    const found = new Map<string, ListedRecipient>();
    for (const [suffix, row] of rows) {
      const agent = named.get(suffix);
      if (!agent || agent.deletedAt !== null) continue;
      const name = { slug: agent.slug, ownerSlug: slugs.get(agent.ownerId) ?? '' };
      const profile = profileOf(row, name, row.parent === null ? undefined : parents.get(row.parent));
      const sessions = attached.filter((session) => session.agent === suffix);
      found.set(suffix, {
        recipient: this.#recipient(suffix, profile, sessions),
        name: agent.name,
        status: row.status,
        lastSeenAt: row.last_seen_at,
      });
    }
    return found;
  }

  #recipient(suffix: string, profile: Profile, sessions: readonly SessionRow[]): Recipient {
    const { settings } = this.#options;
    const { row, name, inboundAllow, parent } = profile;
    return {
      suffix,
      ownerId: row.owner_id,
      ownerSlug: name.ownerSlug,
      slug: name.slug,
      capabilities: capabilitiesOf(row, sessions.length > 0),
      preferred: row.preferred_contact,
      webhookUrl: row.webhook_url,
      inboundPolicy: row.inbound_policy ?? settings.inboundPolicy,
      inboundAllow,
      background: this.#background(row),
      parent: row.parent === null || !parent ? null : this.#parent(row.parent, parent),
      sessions: this.#attached(sessions),
    };
  }

  async #profile(reader: Reader, suffix: string): Promise<Profile | undefined> {
    if (reader !== this.#options.database.read) return await this.#readProfile(reader, suffix);
    return await this.#profiles.get(suffix, () => this.#readProfile(reader, suffix));
  }

  async #readProfile(reader: Reader, suffix: string): Promise<Profile | undefined> {
    const [row, name] = await Promise.all([
      recipientRow(reader, suffix),
      this.#options.identity.directory.nameOf(reader, suffix),
    ]);
    if (!row || !name) return undefined;
    const parent = row.parent === null ? undefined : await recipientRow(reader, row.parent);
    return profileOf(row, name, parent);
  }

  /** On a store with other writers a session that was just attached there must be found: it is read each time. */
  async #sessionRows(reader: Reader, suffix: string): Promise<readonly SessionRow[]> {
    const { database } = this.#options;
    if (reader !== database.read || database.dialect === 'postgres')
      return await attachedSessions(reader, suffix);
    return (await this.#sessions.get(suffix, () => attachedSessions(reader, suffix))) ?? [];
  }

  /** The attached sessions of an agent. */
  async sessions(reader: Reader, suffix: string): Promise<readonly AttachedSession[]> {
    return this.#attached(await attachedSessions(reader, suffix));
  }

  /** Those of an owner that were attached for a cue without an agent, or for its task. */
  async sessionsForCue(
    reader: Reader,
    ownerId: string,
    cue: { readonly cueId: string; readonly task: string | null },
  ): Promise<readonly AttachedSession[]> {
    return this.#attached(await sessionsForCue(reader, ownerId, cue));
  }

  /** Of agents with background handlers and of live sessions, by suffix and id: those not heard of for too long. */
  async silent(
    reader: Reader,
    asked: { readonly handlers: readonly string[]; readonly sessions: readonly string[] },
  ): Promise<ReadonlySet<string>> {
    const { clock, sessionView, settings } = this.#options;
    const [beats, sessions] = await Promise.all([
      backgroundBeats(reader, asked.handlers),
      sessionsById(reader, asked.sessions),
    ]);
    const now = clock.now();
    const handlers = beats.filter(
      ({ bg_beat_at: at }) => beatState(at, now, settings.heartbeatThresholdMs) === 'stale',
    );
    const stale = sessions.filter((session) => !sessionView.isFresh(session, now));
    return new Set([...handlers.map(({ agent }) => agent), ...stale.map(({ id }) => id)]);
  }

  /** `slug@owner` by suffix, deleted agents too: whoever spoke keeps a name. */
  async addresses(reader: Reader, suffixes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { directory } = this.#options.identity;
    const agents = [...(await directory.bySuffix(suffixes, reader)).values()];
    const owners = await directory.ownerSlugs(
      reader,
      agents.map(({ ownerId }) => ownerId),
    );
    return new Map(agents.map((agent) => [agent.suffix, addressOf(agent, owners.get(agent.ownerId) ?? '')]));
  }

  /** A worker of the owner beats for the agents it handles, named by bg task, slug or address. */
  async handlersBeat(tx: Tx, ownerId: string, handlers: readonly string[]): Promise<void> {
    const now = this.#options.clock.now();
    const { directory } = this.#options.identity;
    for (const suffix of await handledAgents(tx, directory, ownerId, handlers)) {
      await touchBackground(tx, suffix, now);
    }
  }

  /** The agent did something. Written later, together with others: no request waits for it. */
  seen(suffix: string): void {
    const { lastSeen, clock } = this.#options;
    lastSeen.note(suffix, clock.now());
  }

  #parent(suffix: string, row: RecipientRow): ParentTarget {
    // Whether it has sessions says nothing about background pushes.
    const takesBg = capabilitiesOf(row, false).includes('bg');
    return { suffix, takesBg, background: this.#background(row) };
  }

  #background({ bg_task: task, bg_beat_at: beatAt }: RecipientRow): BackgroundTarget {
    const { clock, settings } = this.#options;
    return { task, beat: beatState(beatAt, clock.now(), settings.heartbeatThresholdMs), beatAt };
  }

  #attached(rows: readonly SessionRow[]): AttachedSession[] {
    const now = this.#options.clock.now();
    return rows.map((row) => this.#options.sessionView.attached(row, now));
  }
}

/** The columns hold what we put there. */
const profileOf = (row: RecipientRow, name: AgentName, parent: RecipientRow | undefined): Profile => ({
  row,
  name,
  inboundAllow: JSON.parse(row.inbound_allow) as string[],
  parent,
});

function capabilitiesOf(row: RecipientRow, liveAttached: boolean): readonly Channel[] {
  return effectiveCapabilities({
    declared: row.capabilities === null ? null : (JSON.parse(row.capabilities) as Channel[]),
    hasWebhookUrl: row.webhook_url !== null,
    liveAttached,
    bgSeen: row.bg_beat_at !== null,
  });
}

/** The agents of an owner that a worker's handlers name: by bg task, slug, address or id. Sorted. */
async function handledAgents(
  reader: Reader,
  directory: Agents,
  ownerId: string,
  handlers: readonly string[],
): Promise<string[]> {
  const ownSlug = (await directory.ownerSlugs(reader, [ownerId])).get(ownerId);
  const addresses = handlers.map(parseAgentAddress).filter((address) => address !== undefined);
  const slugs = addresses.flatMap((address) =>
    address.form === 'slug' && (address.owner ?? ownSlug) === ownSlug ? [address.slug] : [],
  );
  const ids = addresses.flatMap((address) => (address.form === 'id' ? [address.suffix] : []));
  const byTask = await agentsWithTask(reader, ownerId, handlers);
  const bySlug = await directory.withSlugs(reader, ownerId, slugs);
  const byId = [...(await directory.bySuffix(ids, reader)).values()].filter(
    (agent) => agent.ownerId === ownerId && agent.deletedAt === null,
  );
  return [...new Set([...byTask, ...[...bySlug, ...byId].map(({ suffix }) => suffix)])].toSorted();
}
