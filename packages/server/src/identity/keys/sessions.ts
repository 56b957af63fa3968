import { SESSION_BYTES, SESSION_LIFETIME_MS, SESSION_PREFIX } from '@parley/protocol/identity/credentials';
import { hashSecret } from '../../platform/auth/secrets.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Random, uuid } from '../../platform/ids.ts';
import type { Agents } from '../agents/agents.ts';
import type { AgentRef } from '../../wire/caller.ts';
import type { Credentials } from './credentials.ts';
import type { Revocations } from './revocations.ts';
import { dropOver, insertSession, markAllEnded, markEnded } from './session-store.ts';

export interface OpenedSession {
  readonly token: string;
  readonly agent: AgentRef;
  readonly expiresAt: number;
}

export interface SessionsOptions {
  database: Database;
  clock: Clock;
  random: Random;
  agents: Agents;
  credentials: Credentials;
  revocations: Revocations;
}

export class Sessions {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Undefined for anything but a valid API key. Earlier sessions go on; none outlives the key that opened it. */
  async open(apiKey: string): Promise<OpenedSession | undefined> {
    const { database, clock, random, agents, credentials } = this.#options;
    const identified = await credentials.identify(apiKey);
    if (identified.kind !== 'caller' || identified.caller.credential.kind !== 'api_key') return undefined;
    const { caller } = identified;
    const agent = await agents.acting(caller);
    const token = `${SESSION_PREFIX}${Buffer.from(random.bytes(SESSION_BYTES)).toString('base64url')}`;
    const now = clock.now();
    const expiresAt = Math.min(
      now + SESSION_LIFETIME_MS,
      caller.credential.expiresAt ?? Number.POSITIVE_INFINITY,
    );
    const id = uuid(random);
    await database.write(async (tx) => {
      await dropOver(tx, agent.suffix, now);
      await insertSession(tx, {
        id,
        ownerId: caller.ownerId,
        agentSuffix: agent.suffix,
        keyId: caller.keyId,
        hash: hashSecret(token),
        now,
        expiresAt,
      });
    });
    return { token, agent, expiresAt };
  }

  end(ownerId: string, sessionId: string): Promise<boolean> {
    const { database, clock, revocations } = this.#options;
    return database.write(async (tx) => {
      const ended = await markEnded(tx, ownerId, sessionId, clock.now());
      if (ended) revocations.announce(tx, [sessionId]);
      return ended;
    });
  }

  /** How many ended. */
  endAll(agent: AgentRef): Promise<number> {
    const { database, clock, revocations } = this.#options;
    return database.write(async (tx) => {
      const ended = await markAllEnded(tx, agent.ownerId, agent.suffix, clock.now());
      revocations.announce(
        tx,
        ended.map(({ id }) => id),
      );
      return ended.length;
    });
  }
}
