import type { TrustSignals } from '@parley/protocol/continuity/trust-signals';
import { State } from '../pieces/pieces.tsx';
import { inWordsFor } from '../pieces/time.tsx';
import { wordFor } from '../pieces/words.ts';

interface Rated {
  readonly phase: string | null;
  readonly health_status: string | null;
  readonly verification_status: string | null;
}

/** Whether a capsule can be relied on, in words: how old, how well, who says so. */
export function TrustMarks({ phase, health_status: health, verification_status: verified }: Rated) {
  return (
    <span className="trust">
      {phase && <State state={phase} />}
      {health && health !== 'healthy' && <State state={health} />}
      {verified && <span className="soft small">{wordFor(verified)}</span>}
    </span>
  );
}

/** The signals one by one, as sentences. */
export function trustSentences({ recency, completeness, integrity }: TrustSignals): string[] {
  const { updated_age_seconds: updated, verified_age_seconds: verified, stale_threshold_seconds: stale } = recency;
  return [
    updated === null ? 'Nobody knows when it last changed.' : `It last changed ${inWordsFor(updated)} ago.`,
    verified === null
      ? 'Nobody ever said that it is right.'
      : `It was held to be right ${inWordsFor(verified)} ago${stale === null ? '' : `, which counts for ${inWordsFor(stale)}`}: ${wordFor(recency.phase)}.`,
    `${wordFor(integrity.verification_status).replace(/^./, (letter) => letter.toUpperCase())}, and ${wordFor(integrity.health_status)}${
      integrity.health_reasons.length > 0 ? ` (${integrity.health_reasons.map(wordFor).join(', ')})` : ''
    }.`,
    completeness.orientation_adequate
      ? 'It says enough to carry on from.'
      : `It says too little to carry on from: nothing under ${completeness.empty_orientation_fields.map(wordFor).join(', ')}.`,
    ...(completeness.trimmed ? [`Shortened to fit: ${completeness.trimmed_fields.map(wordFor).join(', ')}.`] : []),
    ...(integrity.source_state === 'fallback' ? ['This is the copy from before: the latest could not be read.'] : []),
  ];
}
