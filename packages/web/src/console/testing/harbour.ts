import { MessageClient } from '../../../../server/src/delivery/testing/message-client.ts';
import type { TestServer } from '../../../../server/src/testing/start-server.ts';
import { populateMemory } from './populate-memory.ts';

/** A place as one would like to show it: five agents that are reached in different ways, and a day's talk. Gives what to look at. */
export async function harbour(server: TestServer): Promise<Readonly<Record<string, string>>> {
  const ann = await MessageClient.register(server, 'ann@example.com');
  await ann.create({ slug: 'harbour-bot', display_name: 'Harbour bot' });
  await ann.create({
    slug: 'tide-watch',
    display_name: 'Tide watch',
    webhook_url: 'http://127.0.0.1:9/hook',
  });
  await ann.create({ slug: 'ferry-desk', display_name: 'Ferry desk' });
  await ann.create({ slug: 'night-shift', display_name: 'Night shift' });
  await ann.attach('harbour-bot');
  await ann.attach('ferry-desk');
  const sent = await ann.send('ferry-desk', {
    subject: 'The tables of next week',
    body: 'High water is at **06:12** on Monday and at **07:02** on Tuesday.\n\n- The gauge agrees within four minutes\n- The northern pump is in doubt',
  });
  await ann.inbox('ferry-desk');
  await ann.mark(sent.id, 'read');
  await ann.mark(sent.id, 'ack');
  await ann.send('harbour-bot', { subject: 'Two boats wait for the lock', body: 'Which one first?' });
  await ann.send('night-shift', {
    subject: 'Watch the pump until six',
    body: 'It reads half a metre too high.',
  });
  await ann.send('night-shift', {
    subject: 'Are you there?',
    body: 'Please answer.',
    delivery_mode: 'live',
    live_fallback_mode: 'none',
  });
  const cue = async (name: string, cron: string, agent: string): Promise<string> => {
    const made = await ann.call<{ id: string }>('POST', '/v1/cues', {
      body: { name, cron, timezone: 'Europe/Lisbon', agent, payload: { body: name } },
    });
    return made.body.id;
  };
  await cue('read the gauge', '0 */2 * * *', 'harbour-bot');
  await cue('tables to the ferry', '30 6,18 * * 1-5', 'ferry-desk');
  const bell = await cue('ring the bell', '0 6 * * *', 'night-shift');
  await ann.call('POST', `/v1/cues/${bell}/fire`, { body: {} });
  await populateMemory(ann, []);
  return {
    overview: '/',
    agent: '/agents/harbour-bot@ann',
    message: `/messages/${sent.id}`,
    subject: '/memory/thread/tide-tables?owner=ann',
    cues: '/cues',
  };
}
