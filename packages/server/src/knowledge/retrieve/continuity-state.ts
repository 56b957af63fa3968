import type { RetrieveRequest } from '@parley/protocol/knowledge/requests';
import { attempted } from '../../continuity/answers.ts';
import { packageCapsules } from '../../continuity/packaging/packaging.ts';
import { aggregateTrust } from '../../continuity/packaging/trust-blocks.ts';
import { compareSalience, salienceMetadata } from '../../continuity/list/salience.ts';
import { notFound } from '../../wire/memory/errors.ts';
import { Loading, type LoadedSelector } from './loading.ts';
import { labelOf, type Retrieval, selectorsOf } from './selectors.ts';

export type ContinuityState = Awaited<ReturnType<typeof continuityState>>;

const MISSING = 'Continuity capsule not found';

/** The capsules of an answer: asked for, loaded, chosen, put in order and fitted into the budget. */
export async function continuityState(retrieval: Retrieval) {
  const { knowledge, caller, request, primary, now } = retrieval;
  const { max_tokens_estimate: most } = request;
  const off = request.continuity_mode === 'off';
  const required = request.continuity_mode === 'required';
  const asked = off ? [] : selectorsOf(request, primary);
  if (required && asked.length === 0) throw notFound(MISSING);
  const taken = asked.slice(0, request.continuity_max_capsules);
  const loading = new Loading(retrieval, asked.length === 1);
  await loading.load(taken);
  const { kept, dropped } = chosen(request, loading.loaded);
  if (required && kept.length === 0) throw notFound(MISSING);
  const packaged = packageCapsules(kept, {
    reserve: most,
    now,
    named: request.continuity_selectors.length > 0,
  });
  const delivered = kept.filter((item) => packaged.delivered.some(({ from }) => from === item));
  for (const { selector } of delivered) knowledge.continuity.noteUse(caller.ownerId, selector);
  const omitted = [
    ...asked.slice(request.continuity_max_capsules),
    ...loading.omitted,
    ...dropped.map(({ selector }) => selector),
    ...packaged.omitted,
  ].map(labelOf);
  const trust = attempted(knowledge.onError, 'trust_signals_aggregate_failed', () =>
    aggregateTrust(
      packaged.delivered.map((each) => each.trust),
      { requested: asked.length, returned: delivered.length, omitted: omitted.length },
    ),
  );
  return {
    present: delivered.length > 0,
    requested_selectors: asked.map(labelOf),
    omitted_selectors: omitted,
    capsules: packaged.delivered.map(({ capsule }) => capsule),
    selection_order: delivered.map(({ selector }) => `${selector.resolution}:${labelOf(selector)}`),
    budget: {
      requested_max_tokens_estimate: most,
      token_budget_hint: most,
      continuity_tokens_reserved: most,
      continuity_tokens_used: packaged.tokensUsed,
    },
    warnings: [...loading.warnings, ...packaged.warnings],
    fallback_used: loading.fallbackUsed,
    recovery_warnings: [...loading.recoveryWarnings, ...packaged.recoveryWarnings, ...trust.warnings],
    trust_signals: trust.made,
    salience_metadata: salienceMetadata(delivered.map(({ key }) => key)),
  };
}

/** What the policies leave, in the order they want it in. */
function chosen(
  request: RetrieveRequest,
  loaded: readonly LoadedSelector[],
): { kept: LoadedSelector[]; dropped: LoadedSelector[] } {
  const verification = request.continuity_verification_policy;
  const isKept = ({ key }: LoadedSelector): boolean =>
    verification !== 'require_healthy' || key.health_rank === 0;
  const activeFirst = request.continuity_resilience_policy === 'prefer_active';
  const rank = ({ source }: LoadedSelector): number => Number(activeFirst && source === 'fallback');
  const health = ({ key }: LoadedSelector): number =>
    verification === 'prefer_healthy' ? key.health_rank : 0;
  return {
    kept: loaded
      .filter(isKept)
      .toSorted((a, b) => rank(a) - rank(b) || health(a) - health(b) || compareSalience(a, b)),
    dropped: loaded.filter((item) => !isKept(item)),
  };
}
