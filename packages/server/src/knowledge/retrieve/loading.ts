import { mayRead } from '../../continuity/access.ts';
import { activePath, fallbackPath } from '../../continuity/artifacts/paths.ts';
import {
  type ActiveCapsule,
  findActives,
  findFallback,
  requirePresent,
} from '../../continuity/artifacts/stored-capsule.ts';
import { supersededWarnings } from '../../continuity/capsule/lifecycle.ts';
import type { LoadedCapsule } from '../../continuity/capsule/load-capsule.ts';
import { type Loaded, sortKeyOf } from '../../continuity/packaging/packaging.ts';
import { ageingOf, phaseAt } from '../../continuity/read/freshness.ts';
import type { Retrieval, Selector } from './selectors.ts';

export interface LoadedSelector extends Loaded {
  readonly selector: Selector;
}

/** What was found of what was asked for, and what there is to say about it, in the order it happened. */
export class Loading {
  readonly loaded: LoadedSelector[] = [];
  readonly omitted: Selector[] = [];
  readonly warnings: string[] = [];
  readonly recoveryWarnings: string[] = [];
  fallbackUsed = false;
  readonly #of: Retrieval;
  readonly #alone: boolean;

  constructor(of: Retrieval, alone: boolean) {
    this.#of = of;
    this.#alone = alone;
  }

  /*
   * active       fallback                 what happens
   * not allowed  –                        left out: active missing (owner only)
   * there        –                        taken
   * not there    policy forbids           left out: active missing
   * not there    not allowed              left out: active missing, fallback missing (owner only)
   * not there    there                    fallback taken
   * missing      missing or invalid       left out: active missing, fallback missing
   * invalid      missing or invalid       alone: refused; among others: left out
   */
  async load(selectors: readonly Selector[]): Promise<void> {
    const { caller, knowledge } = this.#of;
    const read = selectors.filter((selector) => mayRead(caller, activePath(selector)));
    const actives = await findActives(knowledge.database.read, caller.ownerId, read);
    for (const selector of selectors) await this.#choose(selector, actives[read.indexOf(selector)]);
  }

  /** `active` is undefined where the caller may not read it. */
  async #choose(selector: Selector, active: ActiveCapsule | undefined): Promise<void> {
    if (active?.kind === 'present') return this.#take(selector, active.loaded, 'active');
    if (!active) this.#recovery('continuity_active_missing', selector, ' (owner only)');
    const fallback = active && (await this.#fallback(selector, active));
    if (!fallback) {
      this.omitted.push(selector);
      return;
    }
    this.#recovery('continuity_fallback_used', selector);
    this.fallbackUsed = true;
    this.#take(selector, fallback, 'fallback');
  }

  /** In place of an active capsule that cannot be had. */
  async #fallback(selector: Selector, active: ActiveCapsule): Promise<LoadedCapsule | undefined> {
    const { caller, knowledge, request } = this.#of;
    const missing = active.kind === 'missing';
    this.#recovery(missing ? 'continuity_active_missing' : 'continuity_active_invalid', selector);
    if (request.continuity_resilience_policy === 'require_active') return undefined;
    if (!mayRead(caller, fallbackPath(selector))) {
      this.#recovery('continuity_fallback_missing', selector, ' (owner only)');
      return undefined;
    }
    const fallback = await findFallback(knowledge.database.read, caller.ownerId, selector);
    if (fallback) return fallback;
    if (missing) this.#recovery('continuity_fallback_missing', selector);
    else if (this.#alone) requirePresent(active);
    else this.#warn('continuity_invalid_capsule', selector);
    return undefined;
  }

  #take(selector: Selector, { capsule, warnings }: LoadedCapsule, source: 'active' | 'fallback'): void {
    for (const word of warnings) this.#recovery(word, selector);
    this.recoveryWarnings.push(...supersededWarnings(capsule));
    const phase = phaseAt(ageingOf(capsule), this.#of.now);
    if (phase === 'stale_soft' || phase === 'stale_hard') this.#warn(`continuity_${phase}`, selector);
    if (phase === 'expired' || phase === 'expired_by_age') {
      this.#warn('continuity_expired', selector);
      this.omitted.push(selector);
      return;
    }
    const { kind, id } = selector;
    this.loaded.push({ selector, kind, id, capsule, source, key: sortKeyOf(capsule, this.#of.now) });
  }

  #warn(word: string, selector: Selector): void {
    this.warnings.push(this.#qualified(word, selector));
  }

  #recovery(word: string, selector: Selector, note = ''): void {
    this.recoveryWarnings.push(this.#qualified(word, selector) + note);
  }

  /** With selectors a warning names its subject. */
  #qualified(word: string, { kind, id }: Selector): string {
    return this.#of.request.continuity_selectors.length > 0 ? `${word}:${kind}:${id}` : word;
  }
}
