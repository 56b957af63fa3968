import * as declared from '@parley/protocol/console/view-routes';
import { lastWrites } from '../../continuity/overview/subjects.ts';
import type { ListedMessage, ReachedAgent } from '../../delivery/overview/lately.ts';
import type { RouteTable } from '../../platform/http/route-table.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { isoOrNull } from '../../wire/delivery/times.ts';
import type { Person } from '../../wire/person.ts';
import { activityOf } from '../activity.ts';
import {
  agentAnswer,
  executionAnswer,
  messageAnswer,
  type Names,
  routeAnswer,
  threadAnswer,
} from '../answers.ts';
import type { ConsoleContext } from '../create-module.ts';
import { overviewOf } from '../overview.ts';
import {
  agentNamed,
  cursorOf,
  cut,
  namesOf,
  placeOf,
  scopeOf,
  showsTexts,
  threadCursor,
  threadPlaceOf,
} from '../scope.ts';
import { searched } from '../search.ts';
import { type MaybePerson, personOf } from '../shape.ts';
import { trafficOf } from '../traffic.ts';

/** Each side of a message may show it. */
const MOST_OWNERS = 200;

const textsFor =
  (person: Person): Names['texts'] =>
  (row) =>
    showsTexts(person, row.recipient_owner) || showsTexts(person, row.sender_owner);

/** What the views of the console show that no route of an owner does. */
export function viewRoutes(table: RouteTable<MaybePerson>, context: ConsoleContext): void {
  const { clock, identity, console, continuity } = context;
  const { spellAgent } = console;

  /** Undefined where none is asked for. */
  const suffixOf = async (person: Person, ref: string | undefined): Promise<string | undefined> =>
    ref === undefined ? undefined : (await agentNamed(context, person, ref)).suffix;

  const namesIn = async (person: Person, ownerId: string | undefined, rows: readonly ListedMessage[]) => {
    const agents = rows.flatMap((row) => [row.sender, row.recipient]);
    const owners = rows.map((row) => ownerId ?? row.recipient_owner);
    return { ...(await namesOf(context, agents, owners)), texts: textsFor(person) };
  };

  table.add(declared.consoleOverview, (call) => overviewOf(context, personOf(call)));
  table.add(declared.consoleTraffic, (call) => trafficOf(context, personOf(call).ownerId, call.query.window));
  table.add(declared.consoleSearch, (call) => searched(context, personOf(call), call.query.q));

  table.add(declared.consoleStream, (call) => {
    const { signInId, expiresAt } = personOf(call);
    const last = call.request.headers['last-event-id'];
    call.reply.hijack();
    const credential = { kind: 'console', id: signInId, expiresAt } as const;
    console.live.open(call.reply.raw, credential, typeof last === 'string' ? last : undefined);
    return call.reply;
  });

  table.add(declared.consoleOwners, async (call) => {
    const { ownerId } = personOf(call);
    if (ownerId !== undefined)
      return { owners: [{ id: ownerId, slug: await identity.ownerSlug(ownerId) }], more: false };
    const { q = '' } = call.query;
    const found =
      q === ''
        ? await identity.oldestOwners(MOST_OWNERS + 1)
        : await identity.ownersStartingWith(q.toLowerCase(), MOST_OWNERS + 1);
    return { owners: found.slice(0, MOST_OWNERS), more: found.length > MOST_OWNERS };
  });

  table.add(declared.consoleActivity, (call) => activityOf(context, personOf(call), call.query));

  table.add(declared.consoleOwnerOf, async (call) => {
    const { ownerId } = personOf(call);
    const found = await console.lately.ownerOf(call.params.id ?? '');
    if (!found || (ownerId !== undefined && found.owner !== ownerId && found.other !== ownerId))
      throw new DeliveryError('not_found');
    return { owner: await identity.ownerSlug(ownerId ?? found.owner) };
  });

  /** A bounded number of statements, however many they are. */
  const listed = async (agents: readonly ReachedAgent[]): Promise<declared.ListedAgentAnswer[]> => {
    const peers = agents.map(({ recipient: { ownerId, slug } }) => ({ ownerId, peer: slug }));
    const wroteAt = await lastWrites(continuity.service.memory, peers);
    const now = clock.now();
    return agents.map((agent) => ({
      ...agentAnswer(spellAgent, agent, now),
      remembered_at: isoOrNull(wroteAt({ ownerId: agent.recipient.ownerId, peer: agent.recipient.slug })),
    }));
  };

  table.add(declared.consoleAgents, async (call) => {
    const { cursor, limit, owner, q } = call.query;
    const ownerId = await scopeOf(context, personOf(call), owner);
    if (q !== undefined && q !== '') {
      const found = await identity.directory.startingWith(q.toLowerCase(), ownerId, limit);
      const reached = await console.lately.reachedAll(found.map(({ suffix }) => suffix));
      return { agents: await listed(reached), next: null };
    }
    const page = await console.lately.agents({ ownerId, after: placeOf(cursor), limit });
    return { agents: await listed(page.agents), next: page.next ? cursorOf(page.next) : null };
  });

  table.add(declared.consoleAgentRoute, async (call) => {
    const { suffix } = await agentNamed(context, personOf(call), call.params.ref ?? '');
    const reached = await console.lately.reached(suffix);
    if (!reached) throw new DeliveryError('agent_not_found');
    return routeAnswer(spellAgent, reached, clock.now());
  });

  table.add(declared.consoleMessages, async (call) => {
    const person = personOf(call);
    const { cursor, limit, owner, agent, thread, state } = call.query;
    const ownerId = await scopeOf(context, person, owner);
    const suffix = await suffixOf(person, agent);
    const ask = { ownerId, agent: suffix, thread, state, after: placeOf(cursor), limit: limit + 1 };
    const { page, next } = cut(await console.lately.messages(ask), limit);
    const names = await namesIn(person, ownerId, page);
    // Told of a thread only to who has a message in it.
    const stopped =
      thread === undefined || page.length === 0 ? null : await console.lately.threadStoppedAt(thread);
    return {
      messages: page.map((row) => messageAnswer(row, ownerId, names)),
      next,
      stopped_at: isoOrNull(stopped),
    };
  });

  table.add(declared.consoleThreads, async (call) => {
    const person = personOf(call);
    const { cursor, limit, owner, agent, q, ...filter } = call.query;
    const ownerId = await scopeOf(context, person, owner);
    // What is not shown is not searched either.
    if (q !== undefined && !showsTexts(person, ownerId ?? ''))
      throw new DeliveryError('invalid_filter', 'q: subjects are not shown here');
    const { rows, next } = await console.lately.threads({
      ownerId,
      agent: await suffixOf(person, agent),
      state: filter.state,
      priority: filter.priority,
      subject: q,
      from: threadPlaceOf(cursor),
      limit,
    });
    const names = await namesIn(person, ownerId, rows);
    return {
      threads: rows.map((row) => threadAnswer(row, ownerId, names)),
      next: next ? threadCursor(next) : null,
    };
  });

  table.add(declared.consoleExecutions, async (call) => {
    const person = personOf(call);
    const { cursor, limit, owner, agent, ...filter } = call.query;
    const ownerId = await scopeOf(context, person, owner);
    const ask = {
      ownerId,
      agent: await suffixOf(person, agent),
      id: filter.id,
      cue: filter.cue,
      status: filter.status,
      source: filter.source,
      after: placeOf(cursor),
      limit: limit + 1,
    };
    const { page, next } = cut(await console.lately.executions(ask), limit);
    const agents = page.map((row) => row.agent);
    const owners = page.map((row) => row.owner_id);
    const names = await namesOf(context, agents, owners);
    return { executions: page.map((row) => executionAnswer(row, names)), next };
  });
}
