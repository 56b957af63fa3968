import { expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import { SseReader } from '../testing/sse-reader.ts';
import { inSeconds, reminder, scheduleScene } from './testing/schedule-scene.ts';

interface Inbox {
  messages: {
    id: string;
    subject: string;
    body: string;
    metadata: Record<string, unknown>;
    from: { slug: string };
  }[];
}

describeEachServer('schedule › waking', (start) => {
  const scene = async () => {
    const { tenant, clock, people, server } = await scheduleScene(start);
    const { peer, owner } = await tenant();
    const a = await peer('peer-a');
    const inbox = async (slug = 'peer-a'): Promise<Inbox['messages']> => {
      const { body } = await people.call<Inbox>('GET', `/v1/agents/${slug}/inbox`, { key: owner.key });
      return body.messages;
    };
    return { clock, server, owner, peer, a, inbox };
  };

  test('who asked is sent a message when the item is due, once', async () => {
    const { a, clock, inbox, server, owner } = await scene();
    const item = await a.made({
      title: 'look',
      note: 'at it',
      thread_id: 'th',
      due_at: inSeconds(60),
      wake: true,
    });
    expect(item.wake).toBe(true);
    await a.made({ title: 'silent', due_at: inSeconds(60) });
    const stream = await SseReader.open(server, '/v1/agent/stream?include=messages', { key: a.key ?? '' });
    await stream.event('stream.hello');
    await clock.advance(59_000);
    expect(await inbox()).toEqual([]);
    await clock.advance(1_000);
    await stream.event('message.wake');
    expect(await inbox()).toMatchObject([
      {
        subject: 'Reminder: look',
        body: 'look\n\nat it',
        from: { slug: `peer-a@${owner.slug}` },
        metadata: { kind: 'reminder', schedule_id: item.schedule_id, due_at: inSeconds(60), thread_id: 'th' },
      },
    ]);
    await clock.leap(3_600_000);
    expect(await inbox()).toHaveLength(1);
    stream.close();
  });

  test('of a nudge says so, and without a note its title is all there is to say', async () => {
    const { a, clock, inbox } = await scene();
    await a.made({ kind: 'task_nudge', title: 'finish', task_id: 't1', due_at: inSeconds(60), wake: true });
    await a.made({ title: 'empty', note: '', due_at: inSeconds(60), wake: true });
    await clock.advance(60_000);
    await expect.poll(inbox).toHaveLength(2);
    const told = (await inbox()).toSorted((one, other) => one.subject.localeCompare(other.subject));
    expect(told).toMatchObject([
      { subject: 'Nudge: finish', body: 'finish', metadata: { kind: 'task_nudge', task_id: 't1' } },
      { subject: 'Reminder: empty', body: 'empty' },
    ]);
  });

  test('moves with the item, and goes with it', async () => {
    const { a, peer, clock, inbox } = await scene();
    const b = await peer('peer-b');
    const moved = await a.made({ title: 'moved', due_at: inSeconds(60), wake: true });
    await b.patch(moved.schedule_id, { expected_version: 1, due_at: inSeconds(120) });
    const ended = await a.made({ title: 'ended', due_at: inSeconds(60), wake: true });
    await b.acknowledge(ended.schedule_id, { expected_version: 1 });
    const quiet = await a.made({ title: 'quiet', due_at: inSeconds(60), wake: true });
    const silenced = await a.patch(quiet.schedule_id, { expected_version: 1, wake: null });
    expect(silenced.body.item).not.toHaveProperty('wake');
    const asked = await a.made({ title: 'asked', due_at: inSeconds(60) });
    expect((await b.patch(asked.schedule_id, { expected_version: 1, wake: true })).body.item.wake).toBe(true);
    await clock.advance(60_000);
    await expect
      .poll(async () => (await inbox('peer-b')).map(({ subject }) => subject))
      .toEqual(['Reminder: asked']);
    expect(await inbox()).toEqual([]);
    await clock.advance(60_000);
    await expect.poll(async () => (await inbox()).map(({ subject }) => subject)).toEqual(['Reminder: moved']);
  });

  test('is part of what makes two requests the same', async () => {
    const { a } = await scene();
    expect((await a.create(reminder({ wake: true }))).status).toBe(201);
    expect((await a.create(reminder({ wake: true }))).status).toBe(200);
    expect((await a.create(reminder({ wake: false }))).status).toBe(201);
    expect((await a.create(reminder())).status).toBe(200);
  });
});
