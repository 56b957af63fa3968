import type { Overview } from '@parley/protocol/console/view-routes';
import { expect, test } from 'vitest';
import { MessageClient } from '../delivery/testing/message-client.ts';
import { WorkScene } from '../delivery/testing/work-scene.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { PersonClient } from './testing/person-client.ts';

const MINUTE = 60_000;

const needs = async (person: PersonClient) =>
  (await person.read<Overview>('/v1/console/overview')).needs.filter(({ kind }) => kind === 'lease_lapsed');
const release = (person: PersonClient, id: string) =>
  person.call('POST', `/v1/console/executions/${id}/release`);

describeEachServer('console › leases', (start) => {
  const work = new WorkScene(start);

  test('work that a silent worker holds is given to another', async () => {
    const { execution_id: id } = await work.push();
    const person = await PersonClient.signIn(work.server, { api_key: work.max.owner.key });
    await work.max.claim(id, 'w-silent');
    await work.clock.advance(14 * MINUTE);
    await work.max.workerBeats('w-silent');
    expect(await release(person, id)).toMatchObject({
      status: 409,
      body: { error: { code: 'invalid_state' } },
    });
    // The worker lives, but its lease of this is over: nobody else gets it for three minutes more.
    await work.later(2 * MINUTE);
    expect(await needs(person)).toMatchObject([{ id, view: `/executions?id=${id}` }]);
    const other = await MessageClient.register(work.server, 'other@example.com');
    const others = await PersonClient.signIn(work.server, { api_key: other.owner.key });
    expect((await release(others, id)).status).toBe(404);
    expect((await release(person, id)).status).toBe(204);
    expect(await work.max.execution(id)).toMatchObject({ status: 'pending', claimed_by_worker: null });
    expect(await needs(person)).toEqual([]);
    expect((await work.max.claim(id, 'w-other')).status).toBe(200);
    expect((await release(person, id)).status).toBe(409);
    const { text } = await person.call('GET', '/v1/console/activity');
    expect(text).toContain('released');
  });
});
