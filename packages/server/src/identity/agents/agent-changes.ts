import { DeliveryError } from '../../wire/delivery/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/database.ts';
import {
  credentialsOfAgent,
  markAgentDeleted,
  setAgentName,
  setAgentSlug,
  touchAgent,
} from './agent-store.ts';
import type { AgentRef } from '../../wire/caller.ts';
import type { Revocations } from '../keys/revocations.ts';

export interface AgentChangesOptions {
  clock: Clock;
  revocations: Revocations;
}

/** What another module does when an agent goes, in the same transaction. */
export type WhenDeleted = (tx: Tx, suffix: string) => Promise<void>;

/** Changes to an agent that exists, inside the transaction of whoever asks for them. */
export class AgentChanges {
  readonly #clock: Clock;
  readonly #revocations: Revocations;
  readonly #whenDeleted: WhenDeleted[] = [];

  constructor({ clock, revocations }: AgentChangesOptions) {
    this.#clock = clock;
    this.#revocations = revocations;
  }

  onDeleted(act: WhenDeleted): void {
    this.#whenDeleted.push(act);
  }

  async rename(tx: Tx, agent: AgentRef, slug: string): Promise<void> {
    if (!(await setAgentSlug(tx, agent, slug, this.#clock.now()))) throw new DeliveryError('slug_taken');
  }

  setName(tx: Tx, agent: AgentRef, name: string): Promise<void> {
    return setAgentName(tx, agent, name, this.#clock.now());
  }

  /** Something about the agent changed that another module keeps. */
  touch(tx: Tx, agent: AgentRef): Promise<void> {
    return touchAgent(tx, agent, this.#clock.now());
  }

  /** The slug is free at once; the agent's keys and sessions, and their streams, end. False when it was deleted before. */
  async delete(tx: Tx, agent: AgentRef): Promise<boolean> {
    if (!(await markAgentDeleted(tx, agent, this.#clock.now()))) return false;
    this.#revocations.announce(tx, await credentialsOfAgent(tx, agent.suffix));
    for (const act of this.#whenDeleted) await act(tx, agent.suffix);
    return true;
  }
}
