// For retrieval, which packages several capsules into one answer.

import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import { factsOf } from '../artifacts/artifact.ts';
import { rowSortKey } from '../list/list-row.ts';
import type { SortKey } from '../list/salience.ts';
import { tokensOf } from './tokens.ts';
import { trim, type Trimmed } from './trim.ts';
import { compactTrust, type CompactTrustSignals } from './trust-blocks.ts';
import { trustSignals } from '../read/trust-signals.ts';
import type { TrustSignals } from '@parley/protocol/continuity/trust-signals';

/** A capsule that passed the policies, in the place salience gives it. */
export interface Loaded {
  readonly kind: SubjectKind;
  readonly id: string;
  readonly capsule: Capsule;
  readonly source: 'active' | 'fallback';
  readonly key: SortKey;
}

export interface Salience {
  rank: number;
  sort_key: SortKey;
}

export interface Packaged {
  readonly from: Loaded;
  readonly capsule: { readonly [key: string]: unknown };
  readonly trust: TrustSignals | CompactTrustSignals | null;
  readonly salience: Salience | null;
  readonly tokens: number;
}

/** The key of a capsule, as it is sorted among stored ones. */
export const sortKeyOf = (capsule: Capsule, now: number): SortKey => rowSortKey(factsOf(capsule, ''), now);

/** What `trust_signals: None` and `salience: None` cost. */
const NO_TRUST = 5;
const NO_SALIENCE = 4;

export interface PackagingOptions {
  readonly reserve: number;
  readonly now: number;
  /** With selectors a warning names its capsule; with a single subject there is nothing to name. */
  readonly named: boolean;
}

/** Shares the reserve out evenly and fits each capsule into its part, giving up trust and salience before content. */
export function packageCapsules(loaded: readonly Loaded[], options: PackagingOptions) {
  const delivered: Packaged[] = [];
  const omitted: Loaded[] = [];
  const warnings: string[] = [];
  const recoveryWarnings: string[] = [];
  const share = Math.floor(options.reserve / Math.max(1, loaded.length));
  const spare = options.reserve % Math.max(1, loaded.length);
  for (const [index, item] of loaded.entries()) {
    const label = options.named ? `:${item.kind}:${item.id}` : '';
    const trust = trustOf(item, options.now);
    const fitted = fit(item, trust, share + (index < spare ? 1 : 0), delivered.length);
    if (!fitted) {
      omitted.push(item);
      warnings.push(
        options.named ? `continuity_capsule_truncated_to_zero${label}` : 'continuity_truncated_to_zero',
      );
      continue;
    }
    delivered.push(fitted);
    const health = item.capsule.capsule_health?.status ?? 'healthy';
    if (health !== 'healthy') warnings.push(`continuity_${health}${label}`);
    if (!trust) recoveryWarnings.push(`trust_signals_build_failed${label}`);
    if (fitted.trust && 'compact' in fitted.trust) recoveryWarnings.push(`trust_signals_compact${label}`);
    if (!fitted.salience) recoveryWarnings.push(`continuity_salience_omitted${label}`);
  }
  const tokensUsed = delivered.reduce((sum, { tokens }) => sum + tokens, 0);
  return { delivered, omitted, warnings, recoveryWarnings, tokensUsed };
}

interface Rung {
  readonly trust: TrustSignals | CompactTrustSignals | null;
  readonly salience: boolean;
  readonly budget: number;
  readonly rounds: 'one' | 'all';
}

/** Null where nothing can be said: the capsule is delivered without. */
function trustOf({ capsule, source }: Loaded, now: number): TrustSignals | null {
  try {
    return trustSignals(capsule, source, now);
  } catch {
    return null;
  }
}

function fit(
  item: Loaded,
  full: TrustSignals | null,
  allocation: number,
  rank: number,
): Packaged | undefined {
  const salience: Salience = { rank, sort_key: item.key };
  const salienceCost = tokensOf({ salience: { ...salience, rank: 0 } });
  for (const rung of rungs(full, salienceCost, allocation)) {
    if (rung.budget < 1) continue;
    const trimmed = trim(item.capsule, rung.budget, rung.rounds);
    const packed = trimmed && finish(item, trimmed, rung, salience, allocation);
    if (packed) return packed;
  }
  return undefined;
}

/** From everything to the bare capsule. The last ones cut the content itself as far as it goes. */
function* rungs(full: TrustSignals | null, salienceCost: number, allocation: number): Generator<Rung> {
  const compact = full && compactTrust(full);
  const fullCost = full ? tokensOf({ trust_signals: full }) : Number.POSITIVE_INFINITY;
  const compactCost = compact ? tokensOf({ trust_signals: compact }) : Number.POSITIVE_INFINITY;
  const rung = (
    trust: Rung['trust'],
    cost: number,
    salience: boolean,
    rounds: Rung['rounds'] = 'one',
  ): Rung => ({
    trust,
    salience,
    rounds,
    budget: allocation - cost - (salience ? salienceCost : NO_SALIENCE),
  });
  if (fullCost < allocation) {
    yield rung(full, fullCost, true);
    yield rung(full, fullCost, false);
  } else if (compactCost < allocation) yield rung(compact, compactCost, true);
  if (compactCost < allocation) yield rung(compact, compactCost, false);
  else yield rung(null, NO_TRUST, true);
  yield rung(null, NO_TRUST, false);
  if (compactCost < allocation) yield rung(compact, compactCost, false, 'all');
  yield rung(null, NO_TRUST, false, 'all');
  yield {
    trust: null,
    salience: false,
    rounds: 'all',
    budget: allocation - NO_TRUST - NO_SALIENCE - SOURCE_COST,
  };
}

const SOURCE_COST = tokensOf({ source_state: 'fallback' }) + 1;

/** Puts the parts together and takes away what no longer fits once everything is written out. */
function finish(
  item: Loaded,
  { capsule, trimmedFields }: Trimmed,
  rung: Rung,
  salience: Salience,
  allocation: number,
): Packaged | undefined {
  const whole = rung.trust && !('compact' in rung.trust) ? withTrimming(rung.trust, trimmedFields) : null;
  const compact = rung.trust ? compactTrust(withTrimming(fullOf(item, rung.trust), trimmedFields)) : null;
  const tries: [Packaged['trust'], Salience | null][] = [];
  for (const trust of whole ? [whole, compact] : [compact]) {
    if (rung.salience) tries.push([trust, salience]);
    tries.push([trust, null]);
  }
  tries.push([null, null]);
  for (const [trust, ranked] of tries) {
    const rendered = { ...capsule, source_state: item.source, trust_signals: trust, salience: ranked };
    const tokens = tokensOf(rendered);
    if (tokens <= allocation) return { from: item, capsule: rendered, trust, salience: ranked, tokens };
  }
  return undefined;
}

function withTrimming(full: TrustSignals, fields: readonly string[]): TrustSignals {
  const completeness = { ...full.completeness, trimmed: fields.length > 0, trimmed_fields: [...fields] };
  return { ...full, completeness };
}

/** A compact block lacks nothing that the compact form of a full one would have. */
function fullOf(item: Loaded, trust: TrustSignals | CompactTrustSignals): TrustSignals {
  if (!('compact' in trust)) return trust;
  const base = trustSignals(item.capsule, item.source, 0);
  return {
    ...base,
    recency: { ...base.recency, phase: trust.recency.phase },
    scope_match: trust.scope_match,
  };
}
