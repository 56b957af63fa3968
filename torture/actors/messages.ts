import { type Actor, type ActorPlace, createAgent, registerOwner } from './actor.ts';

const PER_BOX = 2000;
const PAGE = 200;

const boxOf = (message: number): string => `box${Math.floor(message / PER_BOX)}`;

/** Messages under a key each: repeated after a cut, one is in the box once. */
export async function messageActor(place: ActorPlace): Promise<Actor> {
  const { caller, tally, name } = place;
  let key = '';
  let sent = 0;
  const textOf = (message: number): string => `${name}-${message}`;
  return {
    async setUp() {
      key = await registerOwner(place);
    },
    async step() {
      if (sent % PER_BOX === 0) await createAgent(place, key, boxOf(sent));
      const box = boxOf(sent);
      await caller.must({
        method: 'POST',
        path: '/v1/messages',
        body: { to: box, from: box, body: textOf(sent) },
        headers: { 'Idempotency-Key': textOf(sent) },
        key,
      });
      sent++;
      tally.acked('messages');
    },
    async check() {
      const found: string[] = [];
      for (let box = 0; box * PER_BOX < sent; box++) {
        for (let offset = 0; ; offset += PAGE) {
          const { messages } = await caller.must<{ messages: { body: string }[] }>({
            method: 'GET',
            path: `/v1/agents/box${box}/inbox?peek=true&limit=${PAGE}&offset=${offset}`,
            key,
          });
          found.push(...messages.map(({ body }) => body));
          if (messages.length < PAGE) break;
        }
      }
      tally.compare(
        'message',
        Array.from({ length: sent }, (_, message) => textOf(message)),
        found,
      );
    },
  };
}
