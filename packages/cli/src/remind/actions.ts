import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { ScheduleItem } from '@parley/protocol/schedule/item';
import type { ScheduleStatus } from '@parley/protocol/schedule/vocabulary';
import * as routes from '@parley/protocol/schedule/routes';
import { MemoryError } from '@parley/sdk/memory/memory-error';
import type { RouteCaller, RouteInput } from '@parley/sdk/route-caller';
import type {
  ChangeAnswer,
  CreatedItemAnswer,
  ItemAnswer,
  ItemListAnswer,
} from '@parley/protocol/schedule/answers';
import { CliError, EXIT } from '../cli-error.ts';
import type { Page } from '../memory/page.ts';
import { type MemoryCommandOptions, shown, withCaller } from '../memory/server-memory.ts';
import { onlySubject } from '../memory/subject.ts';
import { showTable } from '../memory/table.ts';
import { moment } from '../memory/words.ts';
import { theOne } from '../the-one.ts';
import { shownHere, whenFrom } from '../when.ts';

interface About extends MemoryCommandOptions {
  task?: string | undefined;
  thread?: string | undefined;
  about?: string | undefined;
}

export interface AddOptions extends About {
  at: string;
  note?: string | undefined;
  nudge?: boolean | undefined;
  wake?: boolean | undefined;
  key?: string | undefined;
}

export async function add(title: string, options: AddOptions): Promise<void> {
  const body = {
    kind: options.nudge ? 'task_nudge' : 'reminder',
    title,
    note: options.note,
    due_at: dueFrom(options.at),
    ...linksOf(options),
    idempotency_key: options.key,
    wake: options.wake,
  };
  await withCaller(options, (caller) =>
    shown<CreatedItemAnswer>(caller, routes.create, { body }, options, (page, { item, created }) => {
      page.text({ text: created ? 'Made.' : 'Made before.' });
      showItem(page, item);
    }),
  );
}

/** Whole seconds of UTC. What names no zone is this machine's, as the clock on its wall. */
function dueFrom(text: string): string {
  const time = Date.parse(whenFrom(text, new Date()).at);
  if (Number.isNaN(time))
    throw new CliError('invalid_time', `parley: ${JSON.stringify(text)} is no time`, {
      exitCode: EXIT.misuse,
    });
  return isoSeconds(time);
}

function linksOf({ task, thread, about }: About): object {
  const subject = about === undefined ? undefined : onlySubject([about]);
  return { task_id: task, thread_id: thread, ...subject };
}

export interface ListOptions extends About {
  due?: boolean | undefined;
  all?: boolean | undefined;
  status?: ScheduleStatus | undefined;
  limit?: number | undefined;
}

export async function list(options: ListOptions): Promise<void> {
  const { due, all, status, limit } = options;
  const query = { due, include_retired: all, status, limit, ...linksOf(options) };
  await withCaller(options, (caller) =>
    shown<ItemListAnswer>(
      caller,
      routes.list,
      { query },
      options,
      (page, { items, total }) => {
        if (items.length === 0) return page.aside('No reminders.');
        showTable(
          page,
          [
            { title: 'ID', rank: 0 },
            { title: 'STATE', rank: 2 },
            { title: 'DUE', rank: 1 },
            { title: 'TITLE', rank: 0, least: 16 },
            { title: 'ABOUT', rank: 3, least: 12 },
          ],
          items.map((item) => ({
            cells: [
              { text: item.schedule_id },
              { text: stateOf(item), style: item.derived_state === 'due' ? 'bold' : undefined },
              moment(item.due_at),
              { text: item.title },
              { text: aboutOf(item), style: 'dim' },
            ],
          })),
        );
        if (total > items.length) page.aside(`${items.length} of ${total}`, 'dim');
      },
      ({ items }) => items,
    ),
  );
}

export async function show(id: string, options: MemoryCommandOptions): Promise<void> {
  await withCaller(options, async (caller) => {
    const { schedule_id: found } = await named(caller, id);
    await shown<ItemAnswer>(caller, routes.get, { path: [found] }, options, (page, { item }) => {
      if (item) showItem(page, item);
    });
  });
}

export interface ChangeOptions extends MemoryCommandOptions {
  at?: string | undefined;
  title?: string | undefined;
  note?: string | undefined;
  wake?: boolean | undefined;
}

export async function change(id: string, options: ChangeOptions): Promise<void> {
  const { at, title, note, wake } = options;
  const wanted = { title, note, wake, due_at: at === undefined ? undefined : dueFrom(at) };
  if (Object.values(wanted).every((value) => value === undefined)) throw NOTHING_TO_CHANGE;
  await withCaller(options, async (caller) => {
    const { schedule_id: found, version } = await named(caller, id);
    const input: RouteInput = { path: [found], body: { expected_version: version, ...wanted } };
    await shown<ChangeAnswer>(caller, routes.update, input, options, showChange);
  });
}

const NOTHING_TO_CHANGE = new CliError('usage', 'parley: nothing to change', {
  exitCode: EXIT.misuse,
  hint: '"parley remind change --help" shows what can be',
});

export async function end(
  how: 'done' | 'ack' | 'retire',
  id: string,
  options: MemoryCommandOptions & { reason?: string | undefined },
): Promise<void> {
  await withCaller(options, async (caller) => {
    const { schedule_id: found, version } = await named(caller, id);
    const status = how === 'done' ? { status: 'done' } : {};
    const body = { expected_version: version, reason: options.reason, ...status };
    const route = how === 'retire' ? routes.retire : routes.acknowledge;
    await shown<ChangeAnswer>(caller, route, { path: [found], body }, options, showChange);
  });
}

function showChange(page: Page, { item, updated }: ChangeAnswer): void {
  if (!updated) page.text({ text: 'Nothing changed.' });
  showItem(page, item);
}

function showItem(page: Page, item: ScheduleItem): void {
  page.line([{ text: item.schedule_id, style: 'bold' }]);
  page.text({ text: item.title });
  if (item.note) page.text({ text: item.note });
  page.text({
    text: `${stateOf(item)}, due ${item.due_at} (here ${shownHere(item.due_at)})`,
  });
  const about = aboutOf(item);
  if (about !== '') page.text({ text: `about ${about}` });
  if (item.terminal_reason !== null)
    page.text({ text: `${item.terminal_by ?? ''}: ${item.terminal_reason}` });
}

const stateOf = ({ status, derived_state: state }: ScheduleItem): string =>
  status === 'pending' ? state : status;

const aboutOf = (item: ScheduleItem): string =>
  [
    item.subject_kind === null ? '' : `${item.subject_kind}/${item.subject_id ?? ''}`,
    item.thread_id === null ? '' : `thread ${item.thread_id}`,
    item.task_id === null ? '' : `task ${item.task_id}`,
  ]
    .filter((text) => text !== '')
    .join(', ');

/** One by its id, or by a beginning that no other has. */
async function named(caller: RouteCaller, id: string): Promise<ScheduleItem> {
  const found = await caller.call(routes.get, { path: [id] }).catch(unlessUnknown);
  if (found?.item) return found.item;
  const query = { include_retired: true, limit: 200 };
  const { items } = await caller.call(routes.list, { query });
  return theOne(id, {
    noun: 'reminder',
    among: items,
    idOf: (item) => item.schedule_id,
    hint: '"parley remind list --all" shows what there is',
  });
}

function unlessUnknown(error: unknown): undefined {
  if (error instanceof MemoryError && (error.status === 404 || error.status === 422)) return undefined;
  throw error;
}
