import { baseCapsule } from '../../../../server/src/continuity/testing/base-capsule.ts';
import type { MessageClient } from '../../../../server/src/delivery/testing/message-client.ts';
import { HOSTILE } from './populate.ts';

type Change = NonNullable<Parameters<typeof baseCapsule>[3]>;

const HOUR = 3_600_000;
/** Whole seconds, so many hours from now. */
export const hoursFrom = (hours: number): string =>
  `${new Date(Date.now() + hours * HOUR).toISOString().slice(0, 19)}Z`;

/** What one client posts, and a failure of the test where it is refused. */
export async function post(client: MessageClient, path: string, body: object, key?: string): Promise<void> {
  const { status, text } = await client.people.call('POST', path, { key: key ?? client.owner.key, body });
  if (status >= 400) throw new Error(`${path}: ${status} ${text}`);
}

const descriptor = (label: string) => ({
  label,
  keywords: ['tide', 'ferry'],
  scope_anchors: [],
  identity_anchors: [],
  lifecycle: 'active' as const,
});

/** What the agents of a small harbour remember, were reminded of and handed over. `key` is that of one of them. */
export async function populateMemory(ann: MessageClient, hostile = HOSTILE): Promise<{ key: string }> {
  const made = await ann.call<{ api_key: string }>('POST', '/v1/keys', { body: { agent: 'harbour-bot' } });
  const { api_key: key } = made.body;
  const upsert = (kind: 'thread' | 'task', id: string, hours: number, more: Change, message = '') =>
    post(
      ann,
      '/v1/continuity/upsert',
      {
        subject_kind: kind,
        subject_id: id,
        capsule: baseCapsule(kind, id, hoursFrom(hours), more),
        ...(message && { commit_message: message }),
      },
      key,
    );
  await post(ann, '/v1/write', {
    path: 'projects/tides/levels.md',
    content: '# Levels\n\nHigh water at **06:12**.\n',
  });
  const tides = {
    source: { producer: 'harbour-bot', update_reason: 'pre_compaction' as const },
    thread_descriptor: descriptor('The tide tables of next week'),
  };
  const state = {
    stance_summary: 'The tables are **nearly done**; the ferry waits for the last two days.',
    top_priorities: ['Finish the tables for Saturday and Sunday', 'Tell the ferry before noon'],
    active_constraints: ['Levels are metres above chart datum', 'No table is published unchecked'],
    open_loops: ['The pump at the northern pier reads half a metre too high'],
    related_documents: [
      {
        path: 'projects/tides/levels.md',
        kind: 'note',
        label: 'Levels of the last month',
        relevance: 'primary' as const,
      },
    ],
    negative_decisions: [
      { decision: 'No forecast beyond ten days', rationale: 'the swell is not predictable that far' },
    ],
  };
  await upsert(
    'thread',
    'tide-tables',
    -30,
    { ...tides, continuity: { ...state, top_priorities: ['Begin the tables'] } },
    'The thread begins',
  );
  await upsert(
    'thread',
    'tide-tables',
    -4,
    { ...tides, continuity: { ...state, open_loops: [] } },
    'Levels of the week are in',
  );
  await upsert('thread', 'tide-tables', -1, { ...tides, continuity: state }, 'The pump is in doubt');
  await upsert('task', 'pump-north', -2, {
    source: tides.source,
    continuity: { top_priorities: ['Read the pump twice'] },
  });
  if (hostile[0])
    await upsert('thread', hostile[0], -50, {
      continuity: {
        stance_summary: HOSTILE.join(' '),
        top_priorities: HOSTILE.map((text) => text.slice(0, 100)),
      },
    });
  await post(ann, '/v1/continuity/revalidate', {
    subject_kind: 'task',
    subject_id: 'pump-north',
    outcome: 'degrade',
    reason: 'two readings differ',
    signals: [
      {
        kind: 'system_check',
        source_ref: 'pump',
        observed_at: hoursFrom(-1),
        summary: 'two readings differ',
      },
    ],
  });
  const task = { owner_peer: 'harbour-bot', thread_id: 'tide-tables', description: '' };
  await post(ann, '/v1/tasks', {
    ...task,
    task_id: 'pump-north',
    title: 'Check the pump at the northern pier',
  });
  await post(ann, '/v1/tasks', {
    ...task,
    task_id: 'tell-ferry',
    title: 'Tell the ferry',
    status: 'blocked',
    blocked_by: ['pump-north'],
  });
  const remind = (title: string, hours: number, more: object = {}) =>
    post(ann, '/v1/schedule/items', { kind: 'reminder', title, due_at: hoursFrom(hours), ...more }, key);
  await remind('Read the northern pump again', 3, { thread_id: 'tide-tables', note: 'at low water' });
  await remind('Send the tables to the ferry', 26, { subject_kind: 'thread', subject_id: 'tide-tables' });
  await remind(hostile[1] ?? 'Thank the ferry', 60);
  const handed = { recipient_peer: 'self', subject_kind: 'thread', subject_id: 'tide-tables' };
  await post(
    ann,
    '/v1/coordination/handoff/create',
    { ...handed, note: 'Please watch the pump until six.' },
    key,
  );
  await post(
    ann,
    '/v1/coordination/handoff/create',
    { ...handed, note: hostile[0] ?? 'And the bell, in fog.' },
    key,
  );
  await post(
    ann,
    '/v1/coordination/shared/create',
    { title: 'Who is on the pier', constraints: ['One at a time'] },
    key,
  );
  return { key };
}
