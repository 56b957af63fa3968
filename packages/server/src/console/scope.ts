import { DeliveryError } from '../wire/delivery/errors.ts';
import type { ThreadPlace } from '../delivery/overview/lately.ts';
import type { AgentRef } from '../wire/caller.ts';
import type { Person } from '../wire/person.ts';
import type { ConsoleContext } from './create-module.ts';
import type { Place } from '../delivery/overview/place.ts';

/** Whose objects a list shows: an owner's own, whatever it asks for; an operator's choice, or everybody's. */
export async function scopeOf(
  { identity }: ConsoleContext,
  person: Person,
  asked: string | undefined,
): Promise<string | undefined> {
  if (person.ownerId !== undefined) return person.ownerId;
  if (asked === undefined || asked === '') return undefined;
  const known =
    (await identity.ownerBySlug(asked)) ?? ((await identity.ownerSlug(asked)) === '' ? undefined : asked);
  if (known === undefined) throw new DeliveryError('user_not_found');
  return known;
}

/** Whether the person may read what agents wrote. */
export const readsTexts = ({ role, sees }: Person): boolean => role === 'owner' || sees !== 'names';

/** To whom every text is open. Nobody else changes anything of an owner here. */
export const seesAll = ({ role, sees }: Person): boolean => role === 'owner' || sees === 'all';

/** Of an owner's object in a list: where owners are other people, only to an operator who asked for that owner by name. */
export const showsTexts = (person: Person, ownerId: string): boolean =>
  seesAll(person) || person.caller?.ownerId === ownerId;

/** An agent that the person may see, by address or id. */
export async function agentNamed(
  { identity }: ConsoleContext,
  person: Person,
  ref: string,
): Promise<AgentRef> {
  const agent = await identity.directory.resolve(person.ownerId ?? '', ref);
  if (person.ownerId !== undefined && agent.ownerId !== person.ownerId)
    throw new DeliveryError('agent_not_found');
  return agent;
}

/** Its suffix; undefined where none is asked for. */
export const suffixOf = async (
  context: ConsoleContext,
  person: Person,
  ref: string | undefined,
): Promise<string | undefined> =>
  ref === undefined ? undefined : (await agentNamed(context, person, ref)).suffix;

/** Whose, and by which of its agents. */
export async function scopeOfAgent(
  context: ConsoleContext,
  person: Person,
  { owner, agent }: { readonly owner?: string | undefined; readonly agent?: string | undefined },
) {
  if (agent === undefined || agent === '') return { ownerId: await scopeOf(context, person, owner) };
  const found = await agentNamed(context, person, agent);
  return { ownerId: found.ownerId, peer: found.slug, suffix: found.suffix };
}

export type Names = Awaited<ReturnType<typeof namesOf>>;

/** What rows are told with: `slug@owner` by suffix, and the slugs of owners by id. */
export async function namesOf(
  { identity, console }: ConsoleContext,
  suffixes: readonly (string | null)[],
  ownerIds: readonly string[],
) {
  const [addresses, slugs] = await Promise.all([
    console.lately.addresses(suffixes.flatMap((suffix) => suffix ?? [])),
    identity.ownerSlugs(ownerIds),
  ]);
  return { addresses, slugs };
}

export const notOurs = (): DeliveryError => new DeliveryError('invalid_filter', 'cursor: is not one of ours');

export const cursorOf = ({ at, id }: Place): string => `${at}.${id}`;

export function placeOf(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  const [, at, id] = /^(\d{1,15})\.([\w-]{1,80})$/.exec(cursor) ?? [];
  if (at === undefined || id === undefined) throw notOurs();
  return { at: Number(at), id };
}

const PARTS = { u: 'unread', r: 'rest' } as const;

/** Of threads: in which part, and after which. */
export const threadCursor = ({ part, after }: ThreadPlace): string =>
  `${part === 'unread' ? 'u' : 'r'}${after ? `.${cursorOf(after)}` : ''}`;

export function threadPlaceOf(cursor = 'u'): ThreadPlace {
  const [, part, after] = /^([ur])(?:\.(.+))?$/.exec(cursor) ?? [];
  if (part !== 'u' && part !== 'r') throw notOurs();
  return { part: PARTS[part], after: placeOf(after) };
}

/** The page, and where the next one begins. */
export function pageAfter<Row extends { readonly id: string; readonly created_at: number }>(
  rows: readonly Row[],
  limit: number,
): { page: readonly Row[]; next: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next: rows.length > limit && last ? cursorOf({ at: last.created_at, id: last.id }) : null };
}

/** Of lists whose order changes by itself, and which are short: how many were on the pages before. */
export function offsetOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,6}$/.test(cursor)) throw notOurs();
  return Number(cursor);
}

export const pageAt = <Row>(rows: readonly Row[], offset: number, limit: number) => ({
  page: rows.slice(0, limit),
  next: rows.length > limit ? String(offset + limit) : null,
});
