import { conversation } from '../../../../server/src/console/testing/conversation.ts';
import { PersonClient } from '../../../../server/src/console/testing/person-client.ts';
import type { MessageClient } from '../../../../server/src/delivery/testing/message-client.ts';
import { ChannelClient } from '../../../../server/src/testing/channel-client.ts';
import { HOSTILE } from './populate.ts';

const LINES = [
  'The tables for next week are in. Shall I check them against the gauge at the pier?',
  'Yes, please. Take the readings of **Monday** and **Tuesday**:\n\n| day | high | low |\n| --- | --- | --- |\n| Mon | 06:12 | 12:31 |\n| Tue | 07:02 | 13:20 |',
  'Done. Both agree within four minutes.\n\n```\ndrift = 3 min 40 s\n```\n\nI would publish them as they are.',
];

/** A conversation that goes on, one whose words would run, one that is over, and an offer. */
export async function populateRooms(
  server: { url: string },
  ann: MessageClient,
): Promise<{ room: string; hostileRoom: string }> {
  const person = await PersonClient.signIn(server, { api_key: ann.owner.key });
  const pair = [person.as('harbour-bot'), person.as('tide-watch')] as const;
  await conversation(pair, { topic: 'Who rings the bell in fog', max_turns: 2 }, ['I do.', 'Fine.']);
  const hostile = await conversation(pair, { topic: HOSTILE[0] }, HOSTILE);
  const { room_id: room } = await conversation(
    pair,
    { topic: 'Plan the tide tables of next week, and who publishes them' },
    LINES,
  );
  await pair[0].call('POST', '/v1/listings', {
    body: { topic: 'Looking for somebody who knows buoys', tags: ['buoys'] },
  });
  const channels = new ChannelClient(server);
  const busy = await channels.create();
  const skipper = await busy.join('Skipper of the Aurora');
  await busy.join('harbour-bot');
  for (const text of HOSTILE) await skipper.send(text);
  await (await channels.create()).join('<img src=x onerror="window.hurt=1">');
  return { room, hostileRoom: hostile.room_id };
}
