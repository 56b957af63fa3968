import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { SseReader } from '../../testing/sse-reader.ts';
import { expectStatus } from '../testing/agent-client.ts';
import { CueScene } from '../testing/cue-scene.ts';

const MINUTE = 60_000;

describeEachServer('delivery › cues on the agent stream', (start) => {
  const scene = new CueScene(start);
  const listen = async (slug: string, query: string): Promise<SseReader> => {
    const made = await scene.max.call<{ api_key: string }>('POST', '/v1/keys', { body: { agent: slug } });
    const { api_key: key } = expectStatus(201, made);
    return await SseReader.open(scene.server, `/v1/agent/stream${query}`, { key });
  };

  test('wake the agent they are for: what waits, then each as it comes', async () => {
    const { id } = await scene.max.create({ slug: 'app', delivery_capabilities: ['bg', 'inbox'] });
    const cue = await scene.max.cue({ agent: 'app', payload: { n: 1 } });
    await scene.clock.leap(MINUTE);
    const [run] = await scene.runsOf(cue, 1);
    const stream = await listen('app', '?include=cues');
    await stream.event('cue.wake');
    expect(stream.frames.at(-1)?.data).toEqual({
      type: 'cue.wake',
      agent_id: id,
      cue_id: cue.id,
      cue_name: cue.name,
      execution_id: run?.id,
      message_id: null,
      task: 'app-bg',
      triggered_by: 'scheduled',
      scheduled_for: run?.scheduled_for,
      payload: { n: 1 },
      attempt: 1,
      effective_delivery_mode: 'bg',
      delivery_route: 'background_direct',
      live_claim_deadline_at: null,
      lag_ms: 0,
    });
    await scene.clock.leap(MINUTE);
    await stream.event('cue.wake', 2);
    const [, second] = await scene.runsOf(cue, 2);
    expect(stream.frames.at(-1)?.data).toMatchObject({ execution_id: second?.id });
    stream.close();
    await scene.max.patchCue(cue.id, { status: 'paused' });
  });

  test('who does not ask hears nothing of them', async () => {
    await scene.max.create({ slug: 'deaf' });
    const cue = await scene.max.cue({ agent: 'deaf' });
    const deaf = await listen('deaf', '');
    const hearing = await listen('deaf', '?include=cues,messages');
    await scene.max.fire(cue.id);
    await hearing.event('cue.wake');
    await hearing.event('message.wake');
    expect(deaf.events).toEqual(['stream.hello']);
    deaf.close();
    hearing.close();
    await scene.max.patchCue(cue.id, { status: 'paused' });
  });
});
