import type { Credential } from '../../wire/caller.ts';
import type { IdentityService } from '../service.ts';
import { onRevoked } from './revocations.ts';
import { type TimerWheel, WheelEntry } from '../../platform/timer-wheel.ts';

/** A stream that must not outlive the credential it was opened with. */
export interface Guarded {
  readonly credential: Credential;
  revoked(): void;
}

export interface CredentialWatchOptions {
  readonly identity: Pick<IdentityService, 'credentials' | 'bus'>;
  readonly wheel: TimerWheel;
  /** How often each credential is looked at. */
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
}

/** Credentials that are asked about in one statement. */
const AT_ONCE = 500;

/**
 * Ends streams with their credential: at once when told of a revocation, otherwise with the next of the checks that find
 * expiry and whatever was not told. One check for each credential, however many streams it opened. Where other nodes may have told
 * something in vain, all are looked at, many together: a key that was revoked there is over here when the next such look is.
 */
export class CredentialWatch {
  readonly #options: CredentialWatchOptions;
  readonly #watched = new Map<string, WatchedCredential>();
  readonly #leaving: readonly (() => void)[];
  #looking = false;

  constructor(options: CredentialWatchOptions) {
    this.#options = options;
    const { identity } = options;
    this.#leaving = [
      onRevoked(identity, (id) => this.#end(id)),
      identity.bus.onGap(() => void this.#checkAll()),
    ];
  }

  add(stream: Guarded): void {
    const { credential } = stream;
    const known = this.#watched.get(credential.id);
    if (known) {
      known.streams.add(stream);
      return;
    }
    const watched = new WatchedCredential(stream, () => void this.#check(watched));
    this.#watched.set(credential.id, watched);
    this.#options.wheel.start(watched, this.#options.everyMs);
  }

  remove(stream: Guarded): void {
    const watched = this.#watched.get(stream.credential.id);
    if (!watched?.streams.delete(stream) || watched.streams.size > 0) return;
    this.#watched.delete(stream.credential.id);
    this.#options.wheel.cancel(watched);
  }

  close(): void {
    for (const leave of this.#leaving) leave();
  }

  async #check(watched: WatchedCredential): Promise<void> {
    const { identity, wheel, everyMs, onError } = this.#options;
    const { credential } = watched;
    // A store that cannot be asked right now says nothing about the credential.
    const valid = await identity.credentials.stillValid(credential).catch((error: unknown) => {
      onError(error);
      return true;
    });
    if (!valid) this.#end(credential.id);
    else if (this.#watched.get(credential.id) === watched) wheel.start(watched, everyMs);
  }

  /** A store that is slow is not asked again before it has answered. */
  async #checkAll(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const { identity, onError } = this.#options;
    const all = [...this.#watched.values()].map(({ credential }) => credential);
    try {
      for (let at = 0; at < all.length; at += AT_ONCE) {
        const some = all.slice(at, at + AT_ONCE);
        const valid = await identity.credentials.stillValidOf(some);
        for (const { id } of some) if (!valid.has(id)) this.#end(id);
      }
    } catch (error) {
      onError(error);
    } finally {
      this.#looking = false;
    }
  }

  #end(credentialId: string): void {
    for (const stream of this.#watched.get(credentialId)?.streams ?? []) stream.revoked();
  }
}

class WatchedCredential extends WheelEntry {
  readonly credential: Credential;
  readonly streams: Set<Guarded>;
  readonly #check: () => void;

  constructor(first: Guarded, check: () => void) {
    super();
    this.credential = first.credential;
    this.streams = new Set([first]);
    this.#check = check;
  }

  override fire(): void {
    this.#check();
  }
}
