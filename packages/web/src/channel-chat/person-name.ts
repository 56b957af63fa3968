import { MAX_NAME_SUFFIX } from '@parley/protocol/channels/limits';

/** Names people take: a small alphabet that every client, shell and script shows alike. */

const LONGEST = 32;

/** The nearest allowed name: accents dropped, spaces become dashes, the rest left out. May be empty. */
export function personName(wish: string): string {
  return wish
    .normalize('NFKD')
    .trim()
    .replace(/\s+/g, '-')
    .replace(/[^A-Za-z0-9._-]/g, '')
    .slice(0, LONGEST);
}

export function nameCandidates(name: string): string[] {
  const suffixes = Array.from({ length: MAX_NAME_SUFFIX }, (_, taken) => `-${taken + 1}`);
  return ['', ...suffixes].map((suffix) => name.slice(0, LONGEST - suffix.length) + suffix);
}
