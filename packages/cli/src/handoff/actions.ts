import type { Handoff } from '@parley/protocol/coordination/artifacts';
import * as routes from '@parley/protocol/coordination/routes';
import type { HandoffStatus } from '@parley/protocol/coordination/vocabulary';
import type { HandoffAnswer, HandoffList } from '@parley/protocol/coordination/answers';
import type { RouteCaller } from '@parley/sdk/route-caller';
import type { Page } from '../memory/page.ts';
import { type MemoryCommandOptions, peerIdOf, shown, withCaller } from '../memory/server-memory.ts';
import { theOne } from '../the-one.ts';
import { onlySubject, spelled } from '../memory/subject.ts';
import { showTable } from '../memory/table.ts';
import { moment, nameOf, shortTime } from '../memory/words.ts';

export interface SendOptions extends MemoryCommandOptions {
  note?: string | undefined;
  task?: string | undefined;
  thread?: string | undefined;
}

export async function send(peer: string, subject: string, options: SendOptions): Promise<void> {
  const { note, task, thread } = options;
  const body = { recipient_peer: peer, ...onlySubject([subject]), note, task_id: task, thread_id: thread };
  await withCaller(options, (caller) =>
    shown<HandoffAnswer>(caller, routes.handoffCreate, { body }, options, showAnswer),
  );
}

export async function list(
  options: MemoryCommandOptions & { sent?: boolean | undefined; status?: HandoffStatus | undefined },
): Promise<void> {
  await withCaller(options, async (caller) => {
    const me = await peerIdOf(caller);
    const query = { [options.sent ? 'sender_peer' : 'recipient_peer']: me, status: options.status };
    await shown<HandoffList>(
      caller,
      routes.handoffsQuery,
      { query },
      options,
      (page, { handoffs, total_matches: all }) => {
        if (handoffs.length === 0) return page.aside('No handoffs.');
        showTable(
          page,
          [
            { title: 'ID', rank: 0 },
            { title: 'STATUS', rank: 1 },
            { title: options.sent ? 'TO' : 'FROM', rank: 2 },
            { title: 'SUBJECT', rank: 3, least: 12 },
            { title: 'MADE', rank: 5 },
            { title: 'NOTE', rank: 4, least: 12 },
          ],
          handoffs.map((handoff) => ({
            cells: [
              { text: handoff.handoff_id },
              {
                text: nameOf(handoff.recipient_status),
                style: handoff.recipient_status === 'pending' ? 'bold' : undefined,
              },
              { text: options.sent ? handoff.recipient_peer : handoff.sender_peer },
              { text: spelled(handoff.source_selector) },
              moment(handoff.created_at),
              { text: handoff.note ?? '' },
            ],
          })),
        );
        if (all > handoffs.length) page.aside(`${handoffs.length} of ${all}`, 'dim');
      },
      ({ handoffs }) => handoffs,
    );
  });
}

export async function show(id: string, options: MemoryCommandOptions): Promise<void> {
  await withCaller(options, async (caller) => {
    const path = [await named(caller, id)];
    await shown<HandoffAnswer>(caller, routes.handoffRead, { path }, options, showAnswer);
  });
}

const STATUS = { accept: 'accepted_advisory', defer: 'deferred', reject: 'rejected' } as const;

export async function consume(
  how: keyof typeof STATUS,
  id: string,
  options: MemoryCommandOptions & { note?: string | undefined },
): Promise<void> {
  await withCaller(options, async (caller) => {
    const input = { path: [await named(caller, id)], body: { status: STATUS[how], note: options.note } };
    await shown<HandoffAnswer>(caller, routes.handoffConsume, input, options, showAnswer);
  });
}

/** The whole id; a beginning is looked up among those to and from whoever asks. */
async function named(caller: RouteCaller, id: string): Promise<string> {
  if (/^handoff_[0-9a-f]{32}$/.test(id)) return id;
  const me = await peerIdOf(caller);
  const found: Handoff[] = [];
  for (const role of ['recipient_peer', 'sender_peer']) {
    const query = { [role]: me, limit: 100 };
    found.push(...(await caller.call(routes.handoffsQuery, { query })).handoffs);
  }
  return theOne(id, { noun: 'handoff', among: found, idOf: (each) => each.handoff_id }).handoff_id;
}

function showAnswer(page: Page, { handoff }: HandoffAnswer): void {
  const { shared_continuity: given } = handoff;
  page.line([{ text: handoff.handoff_id, style: 'bold' }]);
  page.text({
    text: `${spelled(handoff.source_selector)}, from ${handoff.sender_peer} to ${handoff.recipient_peer}`,
  });
  page.text({ text: `${nameOf(handoff.recipient_status)}, made ${shortTime(handoff.created_at)}` });
  if (handoff.note !== null) page.text({ text: handoff.note });
  if (handoff.recipient_reason !== null)
    page.text({ text: `${handoff.recipient_peer}: ${handoff.recipient_reason}` });
  listed(page, 'Constraints', given.active_constraints);
  listed(page, 'Drift signals', given.drift_signals);
}

function listed(page: Page, title: string, items: readonly string[]): void {
  if (items.length === 0) return;
  page.heading(title);
  for (const text of items) page.item('-', { text });
}
