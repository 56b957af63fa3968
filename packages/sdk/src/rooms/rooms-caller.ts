import { type AnswerShape, type CallerOptions, RouteCaller } from '../route-caller.ts';
import { RoomsError, roomsError } from './rooms-error.ts';

const SHAPE: AnswerShape = {
  isOurs: () => true,
  refusal: roomsError,
  notOurs: (hint) => new RoomsError(502, { error: 'unexpected_answer', hint }),
};

/** Calls the routes of rooms, and those by which agents come by their keys. */
export const roomsCaller = (options: CallerOptions): RouteCaller => new RouteCaller(options, SHAPE);
