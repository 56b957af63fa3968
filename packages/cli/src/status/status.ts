import { handoffsQuery } from '@parley/protocol/coordination/routes';
import * as messages from '@parley/protocol/delivery/message-routes';
import { whoAmI } from '@parley/protocol/identity/routes';
import { roomState } from '@parley/protocol/rooms/routes';
import * as schedule from '@parley/protocol/schedule/routes';
import { CredentialsFile, credentialsPath } from '../agent/credentials-file.ts';
import { serverUrl } from '../agent/server-call.ts';
import { type Calls, orNothing, type Whoami, withCalls } from '../calling.ts';
import { CliError, EXIT, unreachable } from '../cli-error.ts';
import { Page } from '../memory/page.ts';
import { terminalOf } from '../memory/terminal.ts';
import { printJson, printPage } from '../output.ts';
import { type RoomState, roomsAgent } from '../room/actions.ts';
import { knownRooms } from '../room/known-rooms.ts';
import { addressOf } from '../profile/login.ts';
import type { ServerOptions } from '../with-server.ts';

interface Waiting {
  readonly unread: number;
  readonly reminders_due: number;
  readonly handoffs_pending: number;
  /** Of the rooms offered or taken here. */
  readonly our_turn_in: readonly string[];
}

interface Status {
  readonly server: string;
  readonly version: string;
  readonly whoami: Whoami | null;
  readonly waiting: Waiting | null;
  /** What to type next. */
  readonly next: string;
}

/** One screen: where we are, who we are there, what waits for us, and what to type next. */
export async function status(options: ServerOptions): Promise<void> {
  const server = serverUrl(options.server);
  const version = await versionOf(server);
  const known =
    options.stdin || new CredentialsFile(credentialsPath(process.env)).of(server, options.profile);
  const found = known
    ? await withCalls(options, async (caller) => await ours(caller, server))
    : { whoami: null, waiting: null };
  const told: Status = { server, version, ...found, next: nextStep(found.waiting) };
  if (options.json) printJson(told);
  else show(told);
}

async function versionOf(server: string): Promise<string> {
  const answer = await fetch(`${server}/health`, {
    redirect: 'error',
    signal: AbortSignal.timeout(15_000),
  }).catch((error: unknown) => {
    throw unreachable(server, error);
  });
  const health: unknown = await answer.json().catch(() => undefined);
  if (typeof health === 'object' && health !== null && 'version' in health) return String(health.version);
  throw new CliError('unexpected_answer', `parley: ${server} does not answer as a Parley server does`, {
    exitCode: EXIT.failed,
  });
}

async function ours(caller: Calls, server: string): Promise<{ whoami: Whoami; waiting: Waiting }> {
  const whoami = await caller.call<Whoami>(whoAmI);
  const [unread, rooms, reminders, handoffs] = await Promise.all([
    unreadOf(caller, whoami.agent?.id ?? 'self'),
    turnsOf(caller, knownRooms(server).slice(0, MOST_ROOMS)),
    counted(caller.call<{ total: number }>(schedule.list, { query: { due: true, limit: 1 } }), 'total'),
    counted(
      caller.call<{ total_matches: number }>(handoffsQuery, {
        query: { recipient_peer: whoami.peer_id, status: 'pending', limit: 1 },
      }),
      'total_matches',
    ),
  ]);
  return {
    whoami,
    waiting: { unread, reminders_due: reminders, handoffs_pending: handoffs, our_turn_in: rooms },
  };
}

async function unreadOf(caller: Calls, agent: string): Promise<number> {
  const query = { count_only: true, peek: true };
  const asked = caller.call<{ count: number }>(messages.inbox, { path: [agent], query });
  return (await orNothing(agent, asked, { count: 0 })).count;
}

const MOST_ROOMS = 10;

async function turnsOf(caller: Calls, rooms: readonly string[]): Promise<string[]> {
  if (rooms.length === 0) return [];
  const us = await roomsAgent(caller);
  const states = await Promise.all(
    rooms.map((room) => caller.call<RoomState>(roomState, { path: [room] }).catch(() => undefined)),
  );
  return states.flatMap((state) =>
    state?.state === 'ACTIVE' && state.next_actor_id === us ? [state.id] : [],
  );
}

/** A key without the right to look there has nothing that waits there. */
async function counted<Name extends string>(
  asked: Promise<Record<Name, number>>,
  name: Name,
): Promise<number> {
  return await asked.then((answer) => answer[name] ?? 0).catch(() => 0);
}

function nextStep(waiting: Waiting | null): string {
  if (!waiting) return 'parley login';
  if (waiting.unread > 0) return 'parley inbox';
  const [room] = waiting.our_turn_in;
  if (room !== undefined) return `parley room context ${room}`;
  if (waiting.handoffs_pending > 0) return 'parley handoff list';
  if (waiting.reminders_due > 0) return 'parley remind list --due';
  return "parley send AGENT 'hello'";
}

function show({ server, version, whoami, waiting, next }: Status): void {
  const page = new Page(terminalOf(process.stdout, process.env));
  const facts: [string, string][] = [
    ['Server', `${server}, Parley ${version}`],
    ['Who', whoami ? addressOf(whoami) : 'nobody: not logged in'],
  ];
  if (waiting) {
    facts.push(
      ['Unread', String(waiting.unread)],
      ['Our turn', waiting.our_turn_in.length === 0 ? 'in no room' : `in ${waiting.our_turn_in.join(', ')}`],
      ['Handoffs', `${waiting.handoffs_pending} to decide on`],
      ['Reminders', `${waiting.reminders_due} due`],
    );
  }
  facts.push(['Next', next]);
  if (page.terminal.piped) for (const pair of facts) page.row(pair.map((text) => ({ text })));
  else
    for (const [name, text] of facts)
      page.fact(name, { text, style: name === 'Next' ? 'bold' : undefined }, 9);
  printPage(page);
}
