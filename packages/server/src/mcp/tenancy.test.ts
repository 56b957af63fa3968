import { inputSchema } from '@parley/protocol/tools/input-schema';
import { TOOLS } from '@parley/protocol/tools/tools';
import { beforeAll, expect, test } from 'vitest';
import { baseCapsule } from '../continuity/testing/base-capsule.ts';
import { People } from '../identity/testing/people.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { suiteServer } from '../testing/suite-server.ts';
import { exampleArguments } from './help/example-arguments.ts';
import { McpClient } from './testing/mcp-client.ts';

const SUBJECT = { subject_kind: 'thread', subject_id: 'site' };
const PATH = 'projects/site/secret.md';
/** Those that name something which is the caller's own wherever it is written: the same name is another thing there. */
const OWN_NAMES = new Set([
  'memory.write',
  'memory.append_jsonl',
  'continuity.upsert',
  'continuity.save',
  'tasks.create',
]);

describeEachServer('mcp › tools of another owner', (start) => {
  const server = suiteServer(() => start());
  const people = new People(server);
  let eve: McpClient;
  /** What Ada has, by the argument that names it. */
  let hers: Record<string, unknown>;

  beforeAll(async () => {
    const { key } = await people.owner();
    const ada = new McpClient(server, key);
    eve = new McpClient(server, (await people.owner()).key);
    await ada.done('continuity.upsert', { ...SUBJECT, capsule: baseCapsule('thread', 'site') });
    await ada.done('memory.write', { path: PATH, content: 'hers' });
    await ada.done('tasks.create', { task_id: 'hers', title: 't', owner_peer: 'self' });
    for (const slug of ['one', 'two']) await ada.done('agents.create', { slug });
    await ada.done('peers.register', { peer_id: 'one', base_url: 'http://one.example' });
    const message = await ada.done('messages.send', { to: 'two', body: 'hers' });
    const cue = await ada.done('cues.create', {
      name: 'c',
      transport: 'worker',
      schedule: { type: 'once', at: '2099-01-01T00:00:00Z' },
    });
    const fired = await ada.done('cues.fire', { cue_id: cue.id });
    const item = await ada.done('schedule.create', {
      kind: 'reminder',
      title: 'hers',
      due_at: '2099-01-01T00:00:00Z',
    });
    const handoff = await ada.done('coordination.handoff_create', { ...SUBJECT, recipient_peer: 'one' });
    const shared = await ada.done('coordination.shared_create', { title: 't', constraints: ['hers'] });
    const offered = await ada.done('rooms.offer', { topic: 'a room' });
    const { agents } = (await ada.done('agents.list')) as { agents: { id: string }[] };
    hers = {
      ...SUBJECT,
      path: PATH,
      task_id: 'hers',
      agent: agents[0]?.id,
      message_id: message.id,
      cue_id: cue.id,
      execution_id: fired.id,
      schedule_id: (item.item as { schedule_id: string }).schedule_id,
      handoff_id: (handoff.handoff as { handoff_id: string }).handoff_id,
      shared_id: (shared.shared as { shared_id: string }).shared_id,
      room_id: offered.room_id,
    };
  });

  test('find nothing that is hers, and change nothing', async () => {
    const tried: string[] = [];
    for (const tool of TOOLS.filter(({ name }) => !OWN_NAMES.has(name))) {
      const { properties, required = [] } = inputSchema(tool);
      const named = Object.entries(hers).filter(([argument]) => argument in properties);
      if (!named.some(([argument]) => required.includes(argument) || argument === tool.self)) continue;
      tried.push(tool.name);
      const given = { ...exampleArguments(tool), ...Object.fromEntries(named) };
      const { structuredContent } = await eve.tool(tool.name, given);
      const { status, capsule } = structuredContent;
      const found = !(
        [400, 403, 404].includes(status ?? 0) ||
        capsule === null ||
        isEmpty(structuredContent)
      );
      expect([tool.name, found, structuredContent]).toEqual([tool.name, false, structuredContent]);
    }
    expect(tried.length).toBeGreaterThan(30);
  });
});

/** An answer that lists, and has nothing to list. */
const isEmpty = (answer: Readonly<Record<string, unknown>>): boolean =>
  Object.values(answer).some((value) => Array.isArray(value) && value.length === 0);
