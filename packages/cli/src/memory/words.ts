import type {
  HealthStatus,
  Phase,
  SourceState,
  VerificationStatus,
} from '@parley/protocol/continuity/vocabulary';
import type { Styled } from './page.ts';
import type { Style } from './terminal.ts';

/** `continuity.open_loops` as people say it: "Open loops". */
export function titleOf(field: string): string {
  const words = field.replace(/^continuity\./, '').replaceAll(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** In the middle of a sentence. */
export const nameOf = (field: string): string => field.replace(/^continuity\./, '').replaceAll(/[._]/g, ' ');

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400 * 365, 'year'],
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** In the largest unit it fills, cut off: "35 days", "1 hour". */
export function duration(seconds: number): string {
  const [size, name] = UNITS.find(([each]) => seconds >= each) ?? [1, 'second'];
  const count = Math.floor(seconds / size);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

export const ago = (seconds: number | null): string =>
  seconds === null ? 'at an unknown time' : `${duration(seconds)} ago`;

/** For people how long ago or until when, for programs the time itself. */
export function moment(instant: string | null, now = Date.now()): Styled {
  if (instant === null) return { text: '' };
  const seconds = Math.round((now - Date.parse(instant)) / 1000);
  const text = seconds >= 0 ? `${duration(seconds)} ago` : `in ${duration(-seconds)}`;
  return { text, raw: instant };
}

/** To the minute, as a table shows it. */
export const shortTime = (instant: string | null): string =>
  instant === null ? '' : instant.slice(0, 16).replace('T', ' ');

export interface Words {
  readonly text: string;
  readonly style: Style;
}

const PHASE_WORDS: Readonly<Record<Phase, Words>> = {
  fresh: { text: 'fresh', style: 'green' },
  stale_soft: { text: 'a little stale', style: 'yellow' },
  stale_hard: { text: 'stale', style: 'yellow' },
  expired_by_age: { text: 'expired by age', style: 'red' },
  expired: { text: 'expired', style: 'red' },
};

const HEALTH_WORDS: Readonly<Record<HealthStatus, Words>> = {
  healthy: { text: 'healthy', style: 'green' },
  degraded: { text: 'degraded', style: 'yellow' },
  conflicted: { text: 'conflicted', style: 'red' },
};

const VERIFICATION_WORDS: Readonly<Record<VerificationStatus, Words>> = {
  unverified: { text: 'unverified: nobody has confirmed it since it was written', style: 'yellow' },
  self_attested: { text: 'self-attested: only its author says so', style: 'yellow' },
  externally_supported: { text: 'supported by an outside observation', style: 'green' },
  peer_confirmed: { text: 'confirmed by a peer', style: 'green' },
  user_confirmed: { text: 'confirmed by a user', style: 'green' },
  system_confirmed: { text: 'confirmed by a system check', style: 'green' },
  conflicted: { text: 'conflicted: the evidence contradicts it', style: 'red' },
};

/** A server that is newer than this program may use a word that is not known here. */
const wordsIn =
  (known: Readonly<Record<string, Words>>) =>
  (word: string): Words =>
    known[word] ?? { text: nameOf(word), style: 'yellow' };

export const phaseWords = wordsIn(PHASE_WORDS);
export const healthWords = wordsIn(HEALTH_WORDS);
export const verificationWords = wordsIn(VERIFICATION_WORDS);

export const SOURCE_WORDS: Readonly<Record<SourceState, string>> = {
  active: 'exact: the active capsule of this subject',
  fallback: 'not exact: the snapshot of the last write, not the active capsule',
  missing: 'nothing is stored',
};
