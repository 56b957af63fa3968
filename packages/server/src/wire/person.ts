import type { ConsoleRole, OperatorSight } from '@parley/protocol/console/session-routes';
import type { Caller } from './caller.ts';

/** Somebody who is signed in to the console and asks with its cookie. */
export interface Person {
  readonly signInId: string;
  readonly role: ConsoleRole;
  /** Whose objects they see; undefined: those of everybody. */
  readonly ownerId: string | undefined;
  readonly sees: OperatorSight;
  readonly expiresAt: number;
  /** As whom they call the routes of owners; undefined for an operator who named none, or one it may not speak for. */
  readonly caller: Caller | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before any route, by the rules for cookies. */
    person: Person | undefined;
  }
}
