import { z } from 'zod';
import { time } from '../delivery/fields.ts';
import { roomStateName } from '../rooms/answers.ts';
import { next, owner, paged } from './fields.ts';

const participant = z.object({
  id: z.string(),
  address: z.string(),
  name: z.string(),
  /** Whether the person may act as this agent. */
  yours: z.boolean(),
});

const room = {
  id: z.string(),
  /** Of whoever offered it. */
  owner: z.string(),
  /** Null where the person may not read texts, and once it is purged. */
  topic: z.string().nullable(),
  state: roomStateName,
  /** Whether it still takes somebody in. */
  offered: z.boolean(),
  private: z.boolean(),
  /** Turns that were taken. */
  turn: z.int(),
  max_turns: z.int(),
  max_agents: z.int(),
  /** Whose turn it is, by address; null: nobody's, or anybody's. */
  next: z.string().nullable(),
  turn_started_at: time.nullable(),
  created_at: time,
  closes_at: time,
  closed_at: time.nullable(),
  close_reason: z.string().nullable(),
};

export const listedRoom = z.object({ ...room, participants: z.array(participant) });

export const roomsQuery = z.object({ ...paged, owner, state: roomStateName.optional() });
export const roomsAnswer = z.object({ rooms: z.array(listedRoom), next });

export const roomAnswer = z.object({
  ...room,
  participants: z.array(
    z.object({
      ...participant.shape,
      joined_at: time,
      /** The turn whose context it said it has read; null: none. */
      read_turn: z.int().nullable(),
      /** Names the context it would be given now; null once that is gone. */
      context_hash: z.string().nullable(),
    }),
  ),
  /** What a context is made of, from the first layer to the last. */
  layers: z.array(z.object({ name: z.string(), hash: z.string().nullable() })),
  messages: z.array(
    z.object({
      id: z.string(),
      turn: z.int(),
      from: z.string(),
      /** Null where the person may not read texts. */
      text: z.string().nullable(),
      at: time,
      /** Whether all the others have fetched a context with it. */
      read: z.boolean(),
    }),
  ),
  /** The latest changes, newest first. */
  events: z.array(
    z.object({
      id: z.int(),
      type: z.string(),
      at: time,
      by: z.string().nullable(),
      turn: z.int().nullable(),
      reason: z.string().nullable(),
    }),
  ),
  watching: z.int(),
  kept: z.boolean(),
  /** The earliest time at which the texts may be deleted; null while it is not closed. */
  purge_after: time.nullable(),
});
