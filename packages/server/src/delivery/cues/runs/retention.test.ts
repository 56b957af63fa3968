import { MAX_CONSECUTIVE_FAILURES } from '@parley/protocol/delivery/limits';
import { expect, test } from 'vitest';
import { describeEachServer } from '../../../testing/each-server.ts';
import { CueScene } from '../../testing/cue-scene.ts';

const DAY = 24 * 3_600_000;
const KEPT = MAX_CONSECUTIVE_FAILURES;

describeEachServer('cues › runs that are over', (start) => {
  const scene = new CueScene(start, { budgetBytes: 1 });

  const used = async (): Promise<number> => {
    const { body } = await scene.max.call<{ budgets: { bytes: { used: number } } }>('GET', '/v1/usage');
    return body.budgets.bytes.used;
  };
  const runs = async (id: string): Promise<number> => {
    const { body } = await scene.max.call<{ execution_total: number }>('GET', `/v1/cues/${id}`);
    return body.execution_total;
  };
  const fireAndEnd = async (id: string): Promise<string> => {
    const { id: run } = await scene.max.fire(id);
    await scene.max.claim(run);
    await scene.max.outcome(run, { success: true });
    return run;
  };

  test('go after a week, but for the latest of each cue, and what they took up is free again', async () => {
    const { max, clock } = scene;
    const cue = await max.cue({ payload: { text: 'x'.repeat(100) } });
    await max.patchCue(cue.id, { status: 'paused' });
    const before = await used();
    const oldest = await fireAndEnd(cue.id);
    await clock.leap(1000);
    for (let fired = 1; fired < KEPT + 2; fired++) await fireAndEnd(cue.id);
    const each = JSON.stringify({ text: 'x'.repeat(100) }).length + 1024;
    expect(await used()).toBe(before + (KEPT + 2) * each);
    await clock.leap(6 * DAY);
    expect(await runs(cue.id)).toBe(KEPT + 2);
    await clock.leap(1.5 * DAY);
    await expect.poll(() => runs(cue.id)).toBe(KEPT);
    expect(await used()).toBe(before + KEPT * each);
    expect((await max.call('GET', `/v1/executions/${oldest}`)).status).toBe(404);
    expect((await max.call<{ total: number }>('GET', '/v1/executions?source=cue')).body.total).toBe(KEPT);
    await max.call('DELETE', `/v1/cues/${cue.id}`);
    expect(await used()).toBe(before);
  });

  test('one that came as a message outlives it', async () => {
    const { max, clock } = scene;
    await max.create({ slug: 'box' });
    const cue = await max.cue({ agent: 'box', payload: { message: 'tidy up' } });
    await max.patchCue(cue.id, { status: 'paused' });
    const run = await max.fire(cue.id);
    const read = () => max.call<{ message_id: string | null }>('GET', `/v1/executions/${run.id}`);
    const { message_id: message } = (await read()).body;
    await max.call('POST', `/v1/messages/${message}/ack`);
    await clock.leap(8 * DAY);
    await expect.poll(async () => (await max.call('GET', `/v1/messages/${message}`)).status).toBe(404);
    expect((await read()).body).toMatchObject({ message_id: null, status: 'success' });
    expect(await runs(cue.id)).toBe(1);
  });

  test('beyond the budget of the account a run is stored as failed, without what it would have carried', async () => {
    const { max } = scene;
    const cue = await max.cue({ payload: { text: 'x'.repeat(600_000) } });
    await max.patchCue(cue.id, { status: 'paused' });
    const first = await max.fire(cue.id);
    const second = await max.fire(cue.id);
    const read = async ({ id }: { id: string }) =>
      (
        await max.call<{ status: string; error_message: string; payload: object }>(
          'GET',
          `/v1/executions/${id}`,
        )
      ).body;
    expect(await read(first)).toMatchObject({ status: 'pending' });
    expect(await read(second)).toMatchObject({
      status: 'failed',
      payload: {},
      error_message: expect.stringContaining('PARLEY_BUDGET_BYTES') as string,
    });
  });
});
