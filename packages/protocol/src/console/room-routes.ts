import type { z } from 'zod';
import { declareRoute } from '../route.ts';
import * as schemas from './room-schemas.ts';

export const consoleRooms = declareRoute({
  name: 'console_rooms',
  method: 'GET',
  path: '/v1/console/rooms',
  auth: 'person',
  summary: 'Rooms and listings with whose turn it is, newest first.',
  query: schemas.roomsQuery,
  success: 200,
  answer: schemas.roomsAnswer,
});

export const consoleRoom = declareRoute({
  name: 'console_room',
  method: 'GET',
  path: '/v1/console/rooms/{id}',
  auth: 'person',
  summary: 'One room: what was said, by whom, and the context each agent is given.',
  success: 200,
  answer: schemas.roomAnswer,
});

export const CONSOLE_ROOM_ROUTES = [consoleRooms, consoleRoom] as const;

export type ListedRoomAnswer = z.infer<typeof schemas.listedRoom>;
export type ConsoleRoomsAnswer = z.infer<typeof schemas.roomsAnswer>;
export type ConsoleRoomAnswer = z.infer<typeof schemas.roomAnswer>;
