import type { ThreadDescriptor } from '@parley/protocol/continuity/capsule';
import { IDENTITY_ANCHORS, KEYWORDS, SLUG_CHARS } from '@parley/protocol/continuity/limits';
import { SUBJECT_KINDS } from '@parley/protocol/continuity/vocabulary';
import { charsWithin, cutChars } from '../../platform/chars.ts';
import { ECHOED_CHARS, type Report } from '../../wire/memory/errors.ts';

const SCOPE_ANCHOR = new RegExp(`^(${SUBJECT_KINDS.join('|')}):[a-z0-9._-]{1,${SLUG_CHARS}}$`);
const ANCHOR_KIND = new RegExp(`^[a-z][a-z0-9_-]{0,${IDENTITY_ANCHORS.kind - 1}}$`);

/** Keywords and anchors in the one spelling they are found by. Silent: it changes how they are written, not what they say. */
export function foldDescriptor(descriptor: ThreadDescriptor): ThreadDescriptor {
  const keywords = descriptor.keywords.map((word) => word.toLowerCase().trim()).filter((word) => word !== '');
  return {
    ...descriptor,
    keywords: [...new Set(keywords)],
    identity_anchors: descriptor.identity_anchors.map(({ kind, value }) => ({
      kind: kind.toLowerCase().trim(),
      value: value.trim(),
    })),
  };
}

export function checkDescriptor(descriptor: ThreadDescriptor, report: Report): void {
  for (const word of descriptor.keywords) {
    if (!charsWithin(word, KEYWORDS.chars)) {
      report('thread_descriptor.keywords', 'Keyword must be 1-40 characters');
    }
  }
  for (const anchor of descriptor.scope_anchors) {
    if (!SCOPE_ANCHOR.test(anchor)) {
      report(
        'thread_descriptor.scope_anchors',
        `Invalid scope_anchor format: ${cutChars(anchor, ECHOED_CHARS)}`,
      );
    }
  }
  const path = 'thread_descriptor.identity_anchors';
  const seen = new Set<string>();
  for (const { kind, value } of descriptor.identity_anchors) {
    if (!ANCHOR_KIND.test(kind)) report(path, `Invalid identity_anchor kind: ${kind}`);
    if (value === '' || !charsWithin(value, IDENTITY_ANCHORS.value)) {
      report(path, 'identity_anchor value must be 1-200 characters');
    }
    const key = anchorKey({ kind, value });
    if (seen.has(key)) report(path, `Duplicate identity_anchor: (${kind}, ${value})`);
    seen.add(key);
  }
}

/** How a patch names an anchor. */
export const anchorKey = ({ kind, value }: { kind: string; value: string }): string => `${kind}:${value}`;
