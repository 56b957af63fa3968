import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { StateList } from '@parley/protocol/continuity/limits';
import { charsOf, cutChars } from '../../platform/chars.ts';
import { tokensOf } from './tokens.ts';

/*
 * Fitting a capsule into a budget of tokens. First whole sections go, in a fixed order; then rounds cut what is left to
 * ever smaller caps: a quarter of the budget for each list, then half of that, and so on. The core is touched last.
 */

type Section = { [key: string]: unknown };
/** A copy that loses keys on the way: what is left is still in the form of the capsule. */
type Copy = Section & { continuity: Section };

export interface Trimmed {
  readonly capsule: Section;
  /** In the order they first lost something. */
  readonly trimmedFields: string[];
}

const WHOLE_SECTIONS = [
  'metadata',
  'canonical_sources',
  'freshness',
  'attention_policy.presence_bias_overrides',
  'continuity.relationship_model.sensitivity_notes',
  'continuity.relationship_model.preferred_style',
  'continuity.retrieval_hints.avoid',
  'continuity.retrieval_hints.load_next',
  'continuity.trailing_notes',
  'continuity.curiosity_queue',
  'continuity.rationale_entries',
  'continuity.negative_decisions',
  'continuity.working_hypotheses',
  'stable_preferences',
] as const;

const CORE_LISTS = [
  'drift_signals',
  'open_loops',
  'active_constraints',
  'active_concerns',
  'top_priorities',
] as const satisfies readonly StateList[];

/** The capsule within the budget, or undefined when nothing worth having fits. */
export function trim(capsule: Capsule, budget: number, rounds: 'one' | 'all' = 'all'): Trimmed | undefined {
  // Removing keys from a copy is all that happens to it.
  const copy = structuredClone(capsule) as unknown as Copy;
  const work = new Trimming(copy, budget);
  work.dropSections();
  for (let cap = Math.max(1, Math.floor(budget / 4)); !work.fits; cap = Math.max(1, Math.floor(cap / 2))) {
    work.round(cap);
    if (cap === 1 || rounds === 'one') break;
  }
  if (!work.fits || isHollow(copy.continuity)) return undefined;
  return { capsule: copy, trimmedFields: work.fields };
}

class Trimming {
  readonly fields: string[] = [];
  fits: boolean;
  readonly #copy: Copy;
  readonly #budget: number;

  constructor(copy: Copy, budget: number) {
    this.#copy = copy;
    this.#budget = budget;
    this.fits = tokensOf(copy) <= budget;
  }

  dropSections(): void {
    for (const path of WHOLE_SECTIONS) {
      if (this.fits) return;
      const holder = this.#holder(path);
      const key = path.slice(path.lastIndexOf('.') + 1);
      if (!holder || !Object.hasOwn(holder, key)) continue;
      delete holder[key];
      this.#changed(path);
    }
  }

  round(cap: number): void {
    const { continuity } = this.#copy;
    const hints = sectionOf(continuity, 'retrieval_hints');
    const steps = [
      () => this.#shorten(hints, 'must_include', cap, 'continuity.retrieval_hints'),
      () => this.#thinRelationship(),
      () => this.#shorten(continuity, 'long_horizon_commitments', cap, 'continuity'),
      () => this.#cutStance(cap),
      ...CORE_LISTS.map((name) => () => this.#shorten(continuity, name, cap, 'continuity', true)),
    ];
    for (const step of steps) {
      if (this.fits) return;
      step();
    }
  }

  #shorten(holder: Section | undefined, key: string, cap: number, path: string, stays = false): void {
    const list = holder?.[key];
    if (!holder || !Array.isArray(list)) return;
    let changed = false;
    while (list.length > 0 && tokensOf(list) > cap) {
      list.pop();
      changed = true;
    }
    if (list.length === 0 && !stays) {
      delete holder[key];
      changed = true;
    }
    if (changed) this.#changed(`${path}.${key}`);
  }

  #thinRelationship(): void {
    const { continuity } = this.#copy;
    const model = sectionOf(continuity, 'relationship_model');
    if (!model) return;
    const key = Object.hasOwn(model, 'trust_level') ? 'trust_level' : Object.keys(model).toSorted()[0];
    if (key !== undefined) delete model[key];
    if (Object.keys(model).length === 0) delete continuity.relationship_model;
    this.#changed(`continuity.relationship_model${key === undefined ? '' : `.${key}`}`);
  }

  #cutStance(cap: number): void {
    const { continuity } = this.#copy;
    const stance = continuity.stance_summary;
    if (typeof stance !== 'string' || charsOf(stance) <= 4 * cap) return;
    continuity.stance_summary = `${cutChars(stance, 4 * cap - 3)}...`;
    this.#changed('continuity.stance_summary');
  }

  #changed(path: string): void {
    if (!this.fields.includes(path)) this.fields.push(path);
    this.fits = tokensOf(this.#copy) <= this.#budget;
  }

  #holder(path: string): Section | undefined {
    let holder: Section | undefined = this.#copy;
    for (const name of path.split('.').slice(0, -1)) holder = holder && sectionOf(holder, name);
    return holder;
  }
}

function sectionOf(holder: Section, key: string): Section | undefined {
  const section = holder[key];
  return typeof section === 'object' && section !== null ? (section as Section) : undefined;
}

/** Nothing to orient by is worse than nothing: it looks like an answer. */
function isHollow(continuity: Section): boolean {
  return CORE_LISTS.every((name) => isEmpty(continuity[name])) && !continuity.stance_summary;
}

const isEmpty = (value: unknown): boolean => !Array.isArray(value) || value.length === 0;
