import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { MessageClient } from '../testing/message-client.ts';
import { winners } from '../testing/winners.ts';

const RACES = 1_000;
const SESSIONS = 25;
/** Each session is offered several things, all of which its detaching takes from it. */
const OFFERS = 4;
const AT_ONCE = SESSIONS * OFFERS;

const times = <Made>(length: number, make: (n: number) => Made): Made[] =>
  Array.from({ length }, (_, n) => make(n));

describeEachServer('execution › races', (start) => {
  const clock = new FakeClock();
  let max: MessageClient;

  beforeAll(async () => {
    const server = await start({ clock, rateLimits: false });
    max = await MessageClient.register(server);
    for (let n = 0; n < SESSIONS; n++) {
      await max.create({ slug: `racer-${n}`, delivery_capabilities: ['live', 'bg', 'inbox'] });
    }
  });

  /** A session and what it is offered. */
  const offered = async (n: number): Promise<{ slug: string; ids: string[] }> => {
    const slug = `racer-${n}`;
    await max.attach(slug, { session_token: 'T' });
    const sent = await Promise.all(times(OFFERS, () => max.send(slug, { delivery_mode: 'live' })));
    return { slug, ids: sent.map(({ execution_id: id }) => id) };
  };

  /** Everything at once, with each of the three in front in a third of the races. */
  const race = ({ slug, ids }: { slug: string; ids: string[] }, n: number): Promise<unknown>[] => {
    const acts: (() => Promise<unknown>[])[] = [
      () => ids.map((id) => max.claim(id, 'worker')),
      () => ids.map((id) => max.liveClaim(id, { session_token: 'T' })),
      () => [max.session('DELETE', slug, 'main')],
    ];
    return acts.flatMap((_, at) => acts[(at + n) % acts.length]?.() ?? []);
  };

  test(`claim, live-claim, lapse and detach raced ${RACES} times: one takes the offer, and the work is run once`, async () => {
    const seen = new Set<string>();
    for (let round = 0; round < RACES / AT_ONCE; round++) {
      const offers = await Promise.all(times(SESSIONS, offered));
      const raced = offers.flatMap(race);
      // The windows end before the others come, or while they do.
      if (round % 2 === 1) await Promise.race(raced);
      await Promise.all([...raced, clock.leap(30_000)]);
      const { executions } = await max.executions({ limit: AT_ONCE });
      const ids = offers.flatMap((offer) => offer.ids);
      expect(executions.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      for (const execution of executions) {
        const took = winners(execution);
        seen.add(took.join(' '));
        // After a lapse the background push may still be taken, by one of the two claims.
        const claims = took.filter((winner) => winner !== 'fallback');
        expect(claims.length, took.join(' ')).toBeLessThanOrEqual(1);
        expect(took.filter((winner) => winner === 'fallback').length).toBeLessThanOrEqual(1);
        expect(took.length).toBeGreaterThanOrEqual(1);
        if (took[0] !== 'fallback') expect(took).toHaveLength(1);
        expect(execution.attempts).toBe(claims.length);
        expect(execution.status).toBe(claims.length === 1 ? 'delivering' : 'pending');
      }
    }
    expect(seen.size).toBeGreaterThan(1);
  }, 120_000);

  test('without a fallback: either somebody has it, or it is missed with the server’s outcome', async () => {
    for (let round = 0; round < 20; round++) {
      await max.attach('racer-0', { session_token: 'T' });
      const { id, execution_id: execution } = await max.send('racer-0', {
        delivery_mode: 'live',
        live_fallback_mode: 'none',
      });
      const [claim] = await Promise.all([
        max.liveClaim(execution, { session_token: 'T' }),
        max.session('DELETE', 'racer-0', 'main'),
      ]);
      const after = await max.execution(execution);
      const message = await max.message(id);
      const taken = claim.status === 200 && claim.body.attested;
      expect([after.status, message.state, after.outcome_state]).toEqual(
        taken ? ['delivering', 'claimed', null] : ['missed', 'failed', 'live_unclaimed_no_fallback'],
      );
    }
  });

  test('an offer is never made to a session that has left', async () => {
    for (let round = 0; round < 30; round++) {
      await max.attach('racer-1', { session_token: 'T' });
      const [sent] = await Promise.all([
        max.send('racer-1', { delivery_mode: 'live' }),
        max.session('DELETE', 'racer-1', 'main'),
      ]);
      expect((await max.message(sent.id)).effective_delivery_mode).toBe('bg');
    }
  });

  test('a send and a delete at once leave no push behind', async () => {
    const stored: string[] = [];
    await Promise.all(
      times(SESSIONS, async (n) => {
        const slug = `leaver-${n}`;
        await max.create({ slug, delivery_capabilities: ['bg', 'inbox'] });
        const sends = times(OFFERS, () => max.trySend({ to: slug, body: 'x' }));
        const [, ...answers] = await Promise.all([max.call('DELETE', `/v1/agents/${slug}`), ...sends]);
        for (const { status, body } of answers) {
          if (status === 201) stored.push(body.execution_id);
          else
            expect([status, body.error]).toEqual([404, expect.objectContaining({ code: 'agent_not_found' })]);
        }
      }),
    );
    for (const id of stored) {
      expect(await max.execution(id)).toMatchObject({ status: 'failed', error_message: 'agent_deleted' });
    }
  });

  test('an attach and a delete at once leave no session behind', async () => {
    await Promise.all(
      times(SESSIONS, async (n) => {
        const { id } = await max.create({ slug: `closer-${n}` });
        const [attached] = await Promise.all([
          max.tryAttach(id, { label: 'main', task_name: 'task', cue_id: `held-${n}` }),
          max.call('DELETE', `/v1/agents/${id}`),
        ]);
        expect([201, 404]).toContain(attached.status);
      }),
    );
    // A cue id is free once no attached session has it.
    await max.create({ slug: 'heir' });
    for (let n = 0; n < SESSIONS; n++) {
      await max.attach('heir', { label: `l${n}`, cue_id: `held-${n}` });
    }
  });
});
