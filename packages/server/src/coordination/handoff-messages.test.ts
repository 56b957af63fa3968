import { expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import { SseReader } from '../testing/sse-reader.ts';
import { type CoordinationScene, coordinationScene, must } from './testing/coordination-scene.ts';

interface Message {
  id: string;
  subject: string;
  body: string;
  delivery_state: string;
  metadata: Record<string, unknown>;
  from: { slug: string };
}

const inboxOf = async ({ people, owner }: CoordinationScene, slug: string): Promise<Message[]> => {
  const { body } = await people.call<{ messages: Message[] }>('GET', `/v1/agents/${slug}/inbox`, {
    key: owner.key,
  });
  return body.messages;
};

describeEachServer('coordination › a handoff wakes its recipient', (start) => {
  test('as a message, which is done when the handoff is consumed', async () => {
    const scene = await coordinationScene(start);
    const { a, b, people, owner } = scene;
    const handoff = await a.handed('b', { note: 'look' });
    const [message] = await inboxOf(scene, 'b');
    expect(message).toMatchObject({
      subject: 'Handoff from a: thread th1',
      from: { slug: `a@${owner.slug}` },
      metadata: {
        kind: 'handoff',
        handoff_id: handoff.handoff_id,
        subject_kind: 'thread',
        subject_id: 'th1',
      },
    });
    expect(message?.body).toMatch(/^look\n/);
    expect(message?.body).not.toContain('k1');
    must(await b.consume(handoff.handoff_id, { status: 'rejected' }));
    const { body } = await people.call<Message>('GET', `/v1/messages/${message?.id}`, { key: owner.key });
    expect(body.delivery_state).toBe('acked');
    // One that was acknowledged before is no reason to refuse.
    const second = await a.handed('b');
    const waiting = (await inboxOf(scene, 'b')).find(
      ({ metadata }) => metadata.handoff_id === second.handoff_id,
    );
    await people.call('POST', `/v1/messages/${waiting?.id}/ack`, { key: owner.key });
    expect((await b.consume(second.handoff_id, { status: 'deferred' })).status).toBe(200);
  });

  test('not when the operator turned that off, and not who is no agent', async () => {
    const scene = await coordinationScene(start, { handoffMessages: false });
    await scene.a.handed('b');
    expect(await inboxOf(scene, 'b')).toEqual([]);
    const sending = await coordinationScene(start);
    must(await sending.admin.register('far-away'));
    expect((await sending.a.handed('far-away')).recipient_peer).toBe('far-away');
  });

  test('on its stream when it asks for that: what waits, then each as it comes', async () => {
    const { a, b, c, server, clock } = await coordinationScene(start);
    const first = await a.handed('b', { note: 'early', thread_id: 'x' });
    await clock.advance(5_000);
    const stream = await SseReader.open(server, '/v1/agent/stream?include=handoffs', { key: b.key });
    const silent = await SseReader.open(server, '/v1/agent/stream', { key: b.key });
    await stream.event('handoff.wake');
    const wakes = () => stream.frames.filter(({ event }) => event === 'handoff.wake').map(({ data }) => data);
    expect(wakes()).toEqual([
      {
        type: 'handoff.wake',
        agent_id: expect.stringMatching(/^agent_/),
        handoff_id: first.handoff_id,
        message_id: expect.stringMatching(/^msg_/),
        sender_peer: 'a',
        subject_kind: 'thread',
        subject_id: 'th1',
        task_id: null,
        thread_id: 'x',
        note: 'early',
        created_at: first.created_at,
        lag_ms: 5_000,
      },
    ]);
    await a.handed('c');
    const second = await c.handed('b');
    await stream.event('handoff.wake', 2);
    expect(wakes().map(({ handoff_id: id }) => id)).toEqual([first.handoff_id, second.handoff_id]);
    expect(silent.text).not.toContain('handoff');
    stream.close();
    silent.close();
    const again = await SseReader.open(server, '/v1/agent/stream?include=handoffs', { key: b.key });
    must(await b.consume(first.handoff_id, { status: 'rejected' }));
    await again.event('handoff.wake');
    again.close();
    expect(server.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('two that hand over to each other without end are stopped', async () => {
    const scene = await coordinationScene(start, { dlLoopPairTurns: 3 });
    for (let turn = 0; turn < 4; turn += 1) {
      await scene.a.handed('b');
      await scene.b.handed('a');
    }
    const sent = [...(await inboxOf(scene, 'a')), ...(await inboxOf(scene, 'b'))];
    expect(sent.length).toBeLessThan(8);
    expect(sent.length).toBeGreaterThan(0);
  });
});
