import type { ConsoleSearchAnswer } from '@parley/protocol/console/view-routes';
import { subjects } from '../continuity/overview/subjects.ts';
import type { Person } from '../wire/person.ts';
import type { ConsoleContext } from './create-module.ts';
import { roomsOf } from './rooms.ts';
import { seesAll, showsTexts, threadPlaceOf } from './scope.ts';
import { addressOf } from '../identity/agents/agent-details.ts';

type Found = ConsoleSearchAnswer['results'][number];

const MOST_AGENTS = 20;
/** Of any other kind. */
const MOST = 5;
/** What has no index by its name is looked for among the latest. */
const LOOKED_AT = 200;

/** How ids of each kind begin, and where they are shown. */
const BY_ID: readonly (readonly [RegExp, string, (id: string) => string])[] = [
  [/^msg_\w+$/, 'message', (id) => `/messages/${id}`],
  [/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/, 'execution', (id) => `/executions?id=${id}`],
  [/^cue_\w+$/, 'cue', (id) => `/cues/${id}`],
  [/^room_[\w-]+$/, 'room', (id) => `/rooms/${id}`],
];
const AGENT_ID = /^(?:agent|agt)_[a-z\d]{12}$/;

/** Objects by name, by address, or by what the text is the id of. What a person may not read is not looked through either. */
export async function searched(
  context: ConsoleContext,
  person: Person,
  text: string,
): Promise<ConsoleSearchAnswer> {
  const byId = BY_ID.filter(([form]) => form.test(text)).map(([, kind, view]) => ({
    kind,
    title: text,
    hint: `open this ${kind}`,
    view: view(text),
  }));
  if (byId.length > 0) return { results: byId };
  const found = await Promise.all([
    agentsNamed(context, person, text),
    cuesNamed(context, person, text),
    roomsNamed(context, person, text),
    subjectsNamed(context, person, text),
    threadsNamed(context, person, text),
  ]);
  return { results: found.flat() };
}

const holds = (name: string | null | undefined, text: string): boolean =>
  name?.toLowerCase().includes(text.toLowerCase()) ?? false;

/** By the beginning of their slug, or by their id. */
async function agentsNamed({ identity }: ConsoleContext, person: Person, text: string): Promise<Found[]> {
  const { directory } = identity;
  const [slug = '', owner] = text.toLowerCase().split('@');
  const known = AGENT_ID.test(text)
    ? [await directory.resolve(person.ownerId ?? '', text).catch(() => undefined)]
    : await directory.startingWith(slug, person.ownerId, MOST_AGENTS);
  const agents = known.flatMap((agent) =>
    agent && (person.ownerId === undefined || agent.ownerId === person.ownerId) ? [agent] : [],
  );
  const owners = await identity.ownerSlugs(agents.map(({ ownerId }) => ownerId));
  return agents.flatMap((agent) => {
    const whose = owners.get(agent.ownerId) ?? '';
    if (owner !== undefined && !whose.startsWith(owner)) return [];
    const address = addressOf(agent, whose);
    return [{ kind: 'agent', title: address, hint: agent.name, view: `/agents/${address}` }];
  });
}

async function cuesNamed(
  { console, identity }: ConsoleContext,
  { ownerId }: Person,
  text: string,
): Promise<Found[]> {
  const ask = { ownerId, agent: undefined, status: undefined, after: undefined, limit: LOOKED_AT };
  const cues = (await console.lately.cues(ask)).filter(({ name }) => holds(name, text)).slice(0, MOST);
  const owners = await identity.ownerSlugs(cues.map((cue) => cue.owner_id));
  return cues.map((cue) => ({
    kind: 'cue',
    title: cue.name,
    hint: `cue of ${owners.get(cue.owner_id) ?? ''}`,
    view: `/cues/${cue.id}`,
  }));
}

/** A look at texts of others is told to them one by one; a search would be a look at all of them. */
async function roomsNamed(context: ConsoleContext, person: Person, text: string): Promise<Found[]> {
  if (!seesAll(person)) return [];
  const { rooms } = await roomsOf(context, person, { limit: LOOKED_AT });
  return rooms
    .filter(({ topic }) => holds(topic, text))
    .slice(0, MOST)
    .map(({ id, topic, owner }) => ({
      kind: 'room',
      title: topic ?? id,
      hint: `room of ${owner}`,
      view: `/rooms/${id}`,
    }));
}

async function subjectsNamed(
  { continuity, identity }: ConsoleContext,
  person: Person,
  text: string,
): Promise<Found[]> {
  const kept = await subjects(continuity.service.memory, {
    ownerId: person.ownerId,
    kind: undefined,
    health: undefined,
    writer: undefined,
    order: 'updated',
    offset: 0,
    limit: LOOKED_AT,
  });
  const found = kept
    .map(({ ownerId, row }) => ({
      ownerId,
      row,
      label: showsTexts(person, ownerId) ? row.thread_descriptor?.label : undefined,
    }))
    .filter(({ row, label }) => holds(row.subject_id, text) || holds(label, text))
    .slice(0, MOST);
  const owners = await identity.ownerSlugs(found.map(({ ownerId }) => ownerId));
  return found.map(({ ownerId, row: { subject_kind: kind, subject_id: id }, label }) => {
    const owner = owners.get(ownerId) ?? '';
    const view = `/memory/${kind}/${encodeURIComponent(id)}?owner=${encodeURIComponent(owner)}`;
    return { kind: 'memory', title: label ?? id, hint: `${kind} of ${owner}`, view };
  });
}

async function threadsNamed({ console }: ConsoleContext, person: Person, text: string): Promise<Found[]> {
  if (!seesAll(person)) return [];
  const { rows } = await console.lately.threads({
    ownerId: person.ownerId,
    agent: undefined,
    state: undefined,
    priority: undefined,
    subject: text,
    from: threadPlaceOf(),
    limit: MOST,
  });
  return rows.map(({ id, subject, opened_as: opened }) => ({
    kind: 'message',
    title: subject ?? opened ?? id,
    hint: 'message',
    view: `/messages/${id}`,
  }));
}
