import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { MessageClient } from '../testing/message-client.ts';

describeEachServer('message › who sends to whom', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let max: MessageClient;
  let eve: MessageClient;
  let scoutId: string;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false });
    max = await MessageClient.register(server, 'max@example.com');
    eve = await MessageClient.register(server, 'eve@example.com');
    ({ id: scoutId } = await max.create({ slug: 'scout' }));
    await max.create({ slug: 'relay' });
  });

  const refused = async (body: object, headers: Record<string, string> = {}) => {
    const { status, body: answer } = await max.trySend({ to: 'scout', body: 'x', ...body }, headers);
    return [status, answer.error?.code, answer.error?.details?.[0]?.field];
  };

  describe('sender', () => {
    test('is the header, else the body, else the own identity, made on first use', async () => {
      const fresh = await MessageClient.register(server);
      await fresh.create({ slug: 'a' });
      expect(await fresh.send('a')).toMatchObject({ from: { slug: `self@${fresh.owner.slug}` } });
      expect(await fresh.send('a', { from: 'a' })).toMatchObject({ from: { slug: `a@${fresh.owner.slug}` } });
      await fresh.create({ slug: 'b' });
      const named = await fresh.send('a', { from: 'a' }, { 'X-Cueapi-From-Agent': 'b' });
      expect(named).toMatchObject({ from: { slug: `b@${fresh.owner.slug}` } });
    });

    test.each([
      ['an agent of another owner by id', () => scoutId],
      ['an agent of another owner by address', () => 'scout@max'],
      ['an unknown id', () => 'agent_zzzzzzzzzzzz'],
      ['an unknown slug of another owner', () => 'nobody@max'],
    ])('may not be %s, and the answers are alike', async (_what, from) => {
      const answer = await eve.trySend({ to: 'scout@max', body: 'x', from: from() });
      expect([answer.status, answer.body.error.code]).toEqual([403, 'from_agent_not_owned']);
      expect(answer.body.error.message).toBe('the sending agent belongs to another owner');
    });

    test('may not be deleted', async () => {
      const { id } = await max.create({ slug: 'gone' });
      await max.call('DELETE', '/v1/agents/gone');
      for (const from of [id, 'gone', 'gone@max']) {
        expect(await refused({ from })).toEqual([400, 'from_agent_deleted', undefined]);
      }
    });

    test('of an agent key is that agent and no other', async () => {
      const { api_key: key } = (
        await max.call<{ api_key: string }>('POST', '/v1/keys', { body: { agent: 'relay' } })
      ).body;
      const relay = new MessageClient(max.people, { ...max.owner, key });
      expect(await relay.send('scout')).toMatchObject({ from: { slug: 'relay@max' } });
      expect(await relay.trySend({ to: 'scout', body: 'x', from: 'scout' })).toMatchObject({ status: 403 });
    });

    test('must be named where the operator wants it so', async () => {
      const strict = await start({ dlRequireSender: true });
      const ann = await MessageClient.register(strict);
      await ann.create({ slug: 'a' });
      expect(await ann.trySend({ to: 'a', body: 'x' })).toMatchObject({
        status: 400,
        body: { error: { code: 'missing_from_agent' } },
      });
      expect((await ann.trySend({ to: 'a', body: 'x', from: 'a' })).status).toBe(201);
    });
  });

  describe('another owner', () => {
    test('may send by every address form, unless the recipient says no', async () => {
      for (const to of ['scout@max', scoutId, scoutId.replace('agent_', 'agt_')]) {
        expect(await eve.send(to)).toMatchObject({ to: 'scout@max', to_agent_id: scoutId });
      }
      expect((await eve.trySend({ to: 'scout', body: 'x' })).status).toBe(404);
    });

    test.each([
      [{ inbound_policy: 'owner_only' }, 403],
      [{ inbound_policy: 'allowlist', inbound_allow: ['ann'] }, 403],
      [{ inbound_policy: 'allowlist', inbound_allow: ['eve'] }, 201],
      [{ inbound_policy: 'anyone' }, 201],
    ])('%j answers %i', async (policy, status) => {
      const { slug } = await max.create({ display_name: 'guarded', ...policy });
      const answer = await eve.trySend({ to: `${slug}@max`, body: 'x' });
      expect(answer.status).toBe(status);
      if (status === 403) expect(answer.body.error.code).toBe('cross_tenant_messaging_forbidden');
      expect((await max.trySend({ to: slug, body: 'x' })).status).toBe(201);
    });

    test('sees the message and its execution, and may not answer for the recipient', async () => {
      const sent = await eve.send('scout@max');
      expect(await max.message(sent.id)).toMatchObject({ id: sent.id, body: 'hello' });
      expect(await eve.execution(sent.execution_id)).toMatchObject({ message_id: sent.id });
      for (const how of ['read', 'ack'] as const) {
        expect(await eve.mark(sent.id, how)).toMatchObject({
          status: 403,
          body: { error: { code: 'not_recipient' } },
        });
      }
      expect((await eve.outcome(sent.execution_id, { success: true })).status).toBe(404);
      const ann = await MessageClient.register(server);
      expect((await ann.call('GET', `/v1/messages/${sent.id}`)).status).toBe(404);
    });

    test('does not see the idempotency key of the sender', async () => {
      const sent = await eve.send('scout@max', {}, { 'Idempotency-Key': 'k' });
      expect(sent.idempotency_key).toBe('k');
      expect((await max.message(sent.id)).idempotency_key).toBeNull();
    });
  });

  describe.each(['notify', 'reply_to_agent'] as const)('%s', (field) => {
    let own: string;
    let foreign: string;
    beforeAll(async () => {
      ({ id: own } = await max.create({ slug: `own-${field.slice(0, 5)}` }));
      ({ id: foreign } = await eve.create({ slug: `foreign-${field.slice(0, 5)}` }));
    });

    /** The agents that a message names by a reference. */
    const named = async (ref: string): Promise<string[]> => {
      const sent = await max.send('scout', { from: 'relay', [field]: field === 'notify' ? [ref] : ref });
      if (field === 'reply_to_agent') return [sent.reply_to_agent_id ?? ''];
      const { messages } = await max.sent('relay', { thread_id: sent.thread_id });
      return messages.filter(({ id }) => id !== sent.id).map(({ to_agent_id: to }) => to);
    };
    const tried = async (ref: string) => {
      const { status, body } = await max.trySend({
        to: 'scout',
        body: 'x',
        [field]: field === 'notify' ? [ref] : ref,
      });
      return [status, body.error.code, body.error.message];
    };

    test('takes an agent of the owner in every form', async () => {
      const slug = `own-${field.slice(0, 5)}`;
      const forms = [own, own.replace('agent_', 'agt_'), `${slug}@max`, ` ${slug.toUpperCase()}@Max `, slug];
      for (const ref of forms) expect(await named(ref), ref).toEqual([own]);
    });

    test('takes one of another owner by id and by slug and owner', async () => {
      const slug = `foreign-${field.slice(0, 5)}`;
      for (const ref of [foreign, foreign.replace('agent_', 'agt_'), `${slug}@eve`]) {
        expect(await named(ref), ref).toEqual([foreign]);
      }
      // A bare slug is looked up among the owner's own.
      expect(await tried(slug)).toEqual([404, 'agent_not_found', `agent ${slug} not found`]);
    });

    test('refuses what is nobody, in one way, and what is no address', async () => {
      const { id: gone } = await max.create({ slug: 'soon-gone' });
      await max.call('DELETE', '/v1/agents/soon-gone');
      for (const ref of [
        'nobody',
        'nobody@max',
        'scout@nobody',
        'agent_zzzzzzzzzzzz',
        gone,
        'soon-gone@max',
      ]) {
        expect(await tried(ref)).toEqual([404, 'agent_not_found', `agent ${ref} not found`]);
      }
      for (const ref of ['a@b@c', '@max', 'scout@', 'not a slug']) {
        expect((await tried(ref)).slice(0, 2), ref).toEqual([400, 'invalid_agent_address']);
      }
    });
  });
});
