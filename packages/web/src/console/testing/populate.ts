import { MessageClient } from '../../../../server/src/delivery/testing/message-client.ts';
import type { TestServer } from '../../../../server/src/testing/start-server.ts';

/** Names that would run, break a page or lead elsewhere where text is taken for more than text. */
export const HOSTILE = [
  '<img src=x onerror="window.hurt=1">',
  '"><script>window.hurt=1</script>',
  "javascript:window.hurt=1//'",
  '{{constructor.constructor("window.hurt=1")()}}',
  '\u202Egnp.exe ' + 'W'.repeat(60),
];

/** A small place: three agents, some that are reached and one that is not, and what they said. */
export async function populate(
  server: TestServer,
): Promise<{ ann: MessageClient; failed: string; hostile: string; cue: string; execution: string }> {
  const ann = await MessageClient.register(server, 'ann@example.com');
  await ann.create({ slug: 'harbour-bot', display_name: 'Harbour bot' });
  await ann.create({ slug: 'tide-watch', display_name: HOSTILE[0] });
  await ann.create({
    slug: 'a-name-that-is-as-long-as-a-slug-may-reasonably-be-here',
    display_name: 'Lighthouse keeper of the northern pier',
    webhook_url: 'http://127.0.0.1:9/hook',
  });
  await ann.attach('harbour-bot');
  const hostile = await ann.send('harbour-bot', { subject: HOSTILE[1], body: HOSTILE.join('\n\n') });
  for (const text of HOSTILE) await ann.send('tide-watch', { subject: text, body: text });
  await ann.send('harbour-bot', {
    subject: 'The tide tables of next week',
    body: '# Tides\n\nHigh water at **06:12** and 18:40.\n\n- Check the pump\n- Tell the ferry\n\n```\nlevel = 4.2\n```',
  });
  const failed = await ann.send('tide-watch', {
    subject: 'Are you there?',
    body: 'Please answer.',
    delivery_mode: 'live',
    live_fallback_mode: 'none',
  });
  const cue = await ann.call<{ id: string }>('POST', '/v1/cues', {
    body: {
      name: HOSTILE[0],
      cron: '0 6 * * *',
      timezone: 'Europe/Lisbon',
      agent: 'harbour-bot',
      payload: { body: 'x' },
    },
  });
  await ann.call('POST', `/v1/cues/${cue.body.id}/fire`, { body: {} });
  const work = await ann.call<{ id: string }>('POST', '/v1/cues', {
    body: {
      name: 'sound the horn',
      cron: '0 7 * * *',
      timezone: 'Europe/Lisbon',
      transport: 'worker',
      payload: { why: HOSTILE[1] },
    },
  });
  const fired = await ann.call<{ execution_id: string }>('POST', `/v1/cues/${work.body.id}/fire`, {
    body: {},
  });
  await ann.call('POST', '/v1/worker/heartbeat', {
    body: { worker_id: HOSTILE[2], handlers: ['fog', HOSTILE[0]] },
  });
  const { execution_id: execution } = fired.body;
  return { ann, failed: failed.id, hostile: hostile.id, cue: cue.body.id, execution };
}
