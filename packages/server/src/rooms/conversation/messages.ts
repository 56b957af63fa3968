import { hash } from 'node:crypto';
import { MAX_MESSAGE_CHARS } from '@parley/protocol/rooms/limits';
import type { SendMessage, SentAnswer } from '@parley/protocol/rooms/types';
import type { Change, RoomsService } from '../service.ts';
import { charsWithin } from '../../platform/chars.ts';
import type { Tx } from '../../platform/database/database.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import type { EventDraft } from '../room/events.ts';
import { newId } from '../ids.ts';
import { mustHaveLeft, spend } from '../limiters.ts';
import { findRememberedSend, insertRoomMessage, rememberSend } from './message-store.ts';
import { bundleHash } from './context.ts';
import { countRefusal, PolicyRefusal, refuseBlocked, refuseText } from './policy.ts';
import { close, commitTurn } from '../room/room-changes.ts';
import { supersede, turnReady } from '../turn-wakes/deliveries.ts';
import { changeRoom, mustBeOpen, mustTakePart } from '../room/current-rooms.ts';
import { type Room, wireAgent } from '../room/room.ts';
import { countText, mustHaveOwner } from '../room/text-budget.ts';
import { spoken } from '../room/state-machine.ts';
import { maySpeak } from '../room/turns.ts';

export interface Send extends SendMessage {
  readonly roomId: string;
  readonly agent: string;
  readonly idempotencyKey: string | undefined;
}

/** Speaking. Every check runs under the room's lock, so that of many who race for a turn exactly one is heard. */
export async function sendInRoom(rooms: RoomsService, send: Send): Promise<SentAnswer> {
  // What cannot be stored as UTF-8 must not be told to listeners either.
  const text = Buffer.from(send.ciphertext).toString();
  const ownerId = await mustHaveOwner(rooms, send.agent);
  try {
    return await changeRoom(rooms, send.roomId, (change, room) =>
      sendIn(change, room, { ...send, ciphertext: text, ownerId }),
    );
  } catch (error) {
    if (error instanceof PolicyRefusal) await countRefusal(rooms, send.agent);
    throw error;
  }
}

async function sendIn(
  change: Change,
  room: Room,
  send: Send & { readonly ownerId: string },
): Promise<SentAnswer> {
  const { rooms, tx } = change;
  mustTakePart(room, send.agent);
  const earlier = await rememberedAnswer(tx, send);
  if (earlier) return earlier;
  await checkSend(change, room, send);
  await countText(change, { roomId: room.id, ownerId: send.ownerId, text: send.ciphertext });
  await spendRates(rooms, send);
  const answer = await storeMessage(change, room, send);
  const { agent, idempotencyKey: key } = send;
  if (key !== undefined) {
    const memory = { bodyHash: bodyHash(send), answer: JSON.stringify(answer) };
    await rememberSend(tx, { roomId: room.id, agent, key, ...memory });
  }
  return answer;
}

/** In the order in which refusals take precedence. */
async function checkSend({ rooms, tx }: Change, room: Room, send: Send): Promise<void> {
  const { limiters } = rooms;
  const { agent, ciphertext: text } = send;
  mustBeOpen(room);
  if (room.state === 'OPEN') throw new RoomsError('room_not_active');
  if (send.expected_turn !== room.turnIndex || !maySpeak(room, agent)) throw new RoomsError('turn_mismatch');
  if (!charsWithin(text, MAX_MESSAGE_CHARS)) {
    throw new RoomsError('payload_too_large', undefined, { max_chars: MAX_MESSAGE_CHARS });
  }
  await refuseBlocked(rooms, tx, agent);
  await mustHaveLeft(limiters.messagesOfAgent, agent);
  await mustHaveLeft(limiters.messagesOfRoom, room.id);
  refuseText(rooms, text);
  if (send.bundle_hash !== (await bundleHash(rooms, tx, room, agent)))
    throw new RoomsError('stale_bundle_hash');
}

/** Only what is accepted counts, so it is counted last. */
async function spendRates(rooms: RoomsService, { agent, roomId }: Send): Promise<void> {
  await spend(rooms.limiters.messagesOfAgent, agent);
  await spend(rooms.limiters.messagesOfRoom, roomId);
}

async function storeMessage(change: Change, room: Room, send: Send): Promise<SentAnswer> {
  const { tx, now } = change;
  const { random, recent, typing, telemetry } = change.rooms;
  const { agent: sender, ciphertext: text } = send;
  const turn = room.turnIndex;
  const id = newId(random, 'msg');
  const sealedText = recent.cipher(room).seal(turn, text);
  const stored = await insertRoomMessage(tx, {
    roomId: room.id,
    turn,
    id,
    sender,
    sealedText,
    createdAt: now,
  });
  if (!stored) throw new RoomsError('turn_mismatch');
  tx.afterCommit(() => {
    recent.add(room.id, { turn, sender: wireAgent(sender), text });
    void typing.stop(room.id, sender);
    telemetry.message();
  });

  const next = spoken(room, sender, now);
  const created: EventDraft = { type: 'message.created', message: { id, turn, sender, text } };
  let after: Room;
  if (next.turnIndex >= next.maxTurns) {
    const closing = { reason: 'max_turns_reached', sender, preceding: [created] } as const;
    after = await close(change, next, closing);
  } else {
    await supersede(change, room.id);
    await turnReady(change, next, 'peer_message');
    after = await commitTurn(change, room, next, created);
  }
  return {
    message_id: id,
    turn,
    next_turn: after.turnIndex,
    room_state: after.state,
    bundle_hash: send.bundle_hash,
  };
}

/** The answer that was lost on its way, for a sender that says it repeats itself. */
async function rememberedAnswer(tx: Tx, send: Send): Promise<SentAnswer | undefined> {
  if (send.idempotencyKey === undefined) return undefined;
  const known = await findRememberedSend(tx, send.roomId, send.agent, send.idempotencyKey);
  if (!known) return undefined;
  if (known.bodyHash !== bodyHash(send)) {
    throw new RoomsError('invalid_request', 'Idempotency-Key: this key was used with another body.');
  }
  // Written by `sendIn`.
  return JSON.parse(known.answer) as SentAnswer;
}

function bodyHash({ expected_turn: turn, ciphertext, bundle_hash: bundle }: Send): string {
  return hash('sha256', JSON.stringify([turn, ciphertext, bundle]));
}
