import { type AnswerShape, type CallerOptions, RouteCaller } from '../route-caller.ts';
import { MemoryError, memoryError } from './memory-error.ts';

/** Every answer of the memory protocols says whether it is `ok`. */
const SHAPE: AnswerShape = {
  isOurs: ({ ok }) => typeof ok === 'boolean',
  refusal: memoryError,
  notOurs: (detail) => new MemoryError(502, { detail }),
};

/** Calls the routes of capsules, documents, reminders and what peers exchange. */
export const memoryCaller = (options: CallerOptions, timeoutMs?: number): RouteCaller =>
  new RouteCaller(options, SHAPE, timeoutMs);

/** Calls what is open to everybody; it refuses as the memory protocols do, and its answers have no word in common. */
export const openCaller = (options: CallerOptions): RouteCaller =>
  new RouteCaller(options, { ...SHAPE, isOurs: () => true });
