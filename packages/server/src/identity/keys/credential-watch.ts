import type { Credential } from '../../wire/caller.ts';
import type { IdentityService } from '../service.ts';
import { onRevoked } from './revocations.ts';
import { type TimerWheel, WheelEntry } from '../../platform/timer-wheel.ts';

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

  /** For a stream that must not outlive the credential it was opened with. What it gives back is for a stream that is over. */
  guard(credential: Credential, end: () => void): () => void {
    const { wheel, everyMs } = this.#options;
    let watched = this.#watched.get(credential.id);
    if (!watched) {
      const first = new WatchedCredential(credential, () => void this.#check(first));
      this.#watched.set(credential.id, first);
      wheel.start(first, everyMs);
      watched = first;
    }
    const { ends } = watched;
    ends.add(end);
    return () => {
      if (!ends.delete(end) || ends.size > 0) return;
      this.#watched.delete(credential.id);
      wheel.cancel(watched);
    };
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
    for (const end of this.#watched.get(credentialId)?.ends ?? []) end();
  }
}

class WatchedCredential extends WheelEntry {
  readonly credential: Credential;
  /** Of its streams. */
  readonly ends = new Set<() => void>();
  readonly #check: () => void;

  constructor(credential: Credential, check: () => void) {
    super();
    this.credential = credential;
    this.#check = check;
  }

  override fire(): void {
    this.#check();
  }
}
