import type { SharedState } from '@parley/protocol/coordination/artifacts';
import * as routes from '@parley/protocol/coordination/routes';
import type { SharedAnswer, SharedList } from '@parley/protocol/coordination/answers';
import type { RouteCaller } from '@parley/sdk/route-caller';
import type { Page } from '../memory/page.ts';
import { type MemoryCommandOptions, peerIdOf, shown, withCaller } from '../memory/server-memory.ts';
import { theOne } from '../the-one.ts';
import { showTable } from '../memory/table.ts';
import { moment } from '../memory/words.ts';

interface Lists extends MemoryCommandOptions {
  summary?: string | undefined;
  constraint?: string[] | undefined;
  drift?: string[] | undefined;
  alert?: string[] | undefined;
}

export interface CreateOptions extends Lists {
  with?: string[] | undefined;
  task?: string | undefined;
  thread?: string | undefined;
}

export async function create(title: string, options: CreateOptions): Promise<void> {
  const body = {
    title,
    summary: options.summary,
    participant_peers: options.with,
    task_id: options.task,
    thread_id: options.thread,
    constraints: options.constraint,
    drift_signals: options.drift,
    coordination_alerts: options.alert,
  };
  await withCaller(options, (caller) =>
    shown<SharedAnswer>(caller, routes.sharedCreate, { body }, options, showBoard),
  );
}

export async function list(options: MemoryCommandOptions & { joined?: boolean | undefined }): Promise<void> {
  await withCaller(options, async (caller) => {
    const me = await peerIdOf(caller);
    const query = { [options.joined ? 'participant_peer' : 'owner_peer']: me };
    await shown<SharedList>(
      caller,
      routes.sharedQuery,
      { query },
      options,
      (page, { shared_artifacts: boards }) => {
        if (boards.length === 0) return page.aside('No boards.');
        showTable(
          page,
          [
            { title: 'ID', rank: 0 },
            { title: 'VERSION', rank: 2 },
            { title: 'OWNER', rank: 3 },
            { title: 'CHANGED', rank: 4 },
            { title: 'TITLE', rank: 1, least: 12 },
          ],
          boards.map((board) => ({
            cells: [
              { text: board.shared_id },
              { text: String(board.version) },
              { text: board.owner_peer },
              moment(board.updated_at),
              { text: board.title },
            ],
          })),
        );
      },
      ({ shared_artifacts: boards }) => boards,
    );
  });
}

export async function show(id: string, options: MemoryCommandOptions): Promise<void> {
  await withCaller(options, async (caller) => {
    const path = [await named(caller, id)];
    await shown<SharedAnswer>(caller, routes.sharedRead, { path }, options, showBoard);
  });
}

/** Based on what is there now: whoever changed it in between is not overwritten. */
export async function update(id: string, options: Lists & { title?: string | undefined }): Promise<void> {
  await withCaller(options, async (caller) => {
    const path = [await named(caller, id)];
    const { shared } = await caller.call(routes.sharedRead, { path });
    const body = {
      expected_version: shared.version,
      title: options.title ?? shared.title,
      summary: options.summary ?? shared.summary,
      constraints: options.constraint ?? shared.shared_state.constraints,
      drift_signals: options.drift ?? shared.shared_state.drift_signals,
      coordination_alerts: options.alert ?? shared.shared_state.coordination_alerts,
    };
    await shown<SharedAnswer>(caller, routes.sharedUpdate, { path, body }, options, showBoard);
  });
}

async function named(caller: RouteCaller, id: string): Promise<string> {
  if (/^shared_[0-9a-f]{32}$/.test(id)) return id;
  const me = await peerIdOf(caller);
  const found: SharedState[] = [];
  for (const role of ['owner_peer', 'participant_peer']) {
    const query = { [role]: me, limit: 100 };
    found.push(...(await caller.call(routes.sharedQuery, { query })).shared_artifacts);
  }
  return theOne(id, { noun: 'board', among: found, idOf: (each) => each.shared_id }).shared_id;
}

function showBoard(page: Page, { shared }: SharedAnswer): void {
  page.line([{ text: shared.shared_id, style: 'bold' }]);
  page.text({ text: shared.title });
  if (shared.summary !== null) page.text({ text: shared.summary });
  const others = shared.participant_peers.length === 0 ? 'nobody' : shared.participant_peers.join(', ');
  page.text({ text: `version ${shared.version} of ${shared.owner_peer}, shared with ${others}` });
  const { constraints, drift_signals: drift, coordination_alerts: alerts } = shared.shared_state;
  for (const [title, items] of [
    ['Constraints', constraints],
    ['Drift signals', drift],
    ['Alerts', alerts],
  ] as const) {
    if (items.length === 0) continue;
    page.heading(title);
    for (const text of items) page.item('-', { text });
  }
}
