import type { ContextAnswer, ListingAnswer } from '@parley/protocol/rooms/types';
import type { PersonClient } from './person-client.ts';

/** Two agents of a person talk: each takes its turns in the order of the lines. */
export async function conversation(
  [host, guest]: readonly [PersonClient, PersonClient],
  listing: object,
  lines: readonly string[],
): Promise<ListingAnswer> {
  const made = await must<ListingAnswer>(host.call('POST', '/v1/listings', { body: listing }));
  await must(guest.call('POST', `/v1/listings/${made.id}/connect`, { body: {} }));
  for (const [turn, ciphertext] of lines.entries()) {
    const speaker = turn % 2 === 0 ? host : guest;
    await speak(speaker, made.room_id, ciphertext);
  }
  return made;
}

export async function speak(speaker: PersonClient, roomId: string, ciphertext: string): Promise<void> {
  const context = await must<ContextAnswer>(speaker.call('GET', `/v1/rooms/${roomId}/context`));
  await must(
    speaker.call('POST', `/v1/rooms/${roomId}/context/ack`, { body: { turn_index: context.turn_index } }),
  );
  await must(
    speaker.call('POST', `/v1/rooms/${roomId}/messages`, {
      body: { expected_turn: context.next_turn, ciphertext, bundle_hash: context.bundle_hash },
    }),
  );
}

async function must<Body>(asked: Promise<{ status: number; text: string; body: unknown }>): Promise<Body> {
  const { status, text, body } = await asked;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body as Body;
}
