import type { PlanName } from '@parley/protocol/delivery/plans';
import { slugFrom, slugWithTail } from '@parley/protocol/identity/slug';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/database.ts';
import { type Random, uuid } from '../../platform/ids.ts';
import { emailOwner, insertOwner } from './owner-store.ts';

export interface Owner {
  readonly id: string;
  readonly slug: string;
  readonly email: string | null;
}

export interface OwnersOptions {
  clock: Clock;
  random: Random;
  plan: PlanName;
}

/** Makes accounts. A slug is global, so the second `max` becomes `max-3f9a`. */
export class Owners {
  readonly #options: OwnersOptions;

  constructor(options: OwnersOptions) {
    this.#options = options;
  }

  fromEmail(tx: Tx, email: string): Promise<Owner> {
    return this.#create(tx, slugFrom(email.slice(0, email.lastIndexOf('@')), 'user'), email);
  }

  fromName(tx: Tx, name: string): Promise<Owner> {
    return this.#create(tx, slugFrom(name, 'user'), null);
  }

  async #create(tx: Tx, wanted: string, email: string | null): Promise<Owner> {
    const { clock, random, plan } = this.#options;
    const owner = { id: uuid(random), email, plan, now: clock.now() };
    for (const slug of slugCandidates(wanted, random)) {
      if (await insertOwner(tx, { ...owner, slug })) return { id: owner.id, slug, email };
      if (email !== null && (await emailOwner(tx, email)) !== undefined)
        throw new DeliveryError('duplicate_email');
    }
    throw new Error('no free slug was found');
  }
}

/** The slug itself, then with four hex digits, then with more until one is sure to be free. */
export function* slugCandidates(slug: string, random: Random): Generator<string> {
  yield slug;
  for (const bytes of [2, 2, 2, 4, 8]) yield slugWithTail(slug, random.hex(bytes));
}
