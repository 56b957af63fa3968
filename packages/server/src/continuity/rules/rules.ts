import type { Capsule } from '@parley/protocol/continuity/capsule';
import { MAX_CAPSULE_BYTES } from '@parley/protocol/continuity/limits';
import { canonicalCapsule, fitsCapsule, TOO_LARGE } from '../capsule/canonical.ts';
import { checkCapsule } from './capsule-check.ts';
import { badRequest, refusing, type Report } from '../../wire/memory/errors.ts';

/** Every rule on a capsule; with `explain`, all faults are told instead of the first. */
export function requireValid(
  capsule: Capsule,
  options: { explain: boolean; size?: boolean; more?: (report: Report) => void },
): void {
  const check = (report: Report): void => {
    let measurable = true;
    checkCapsule(capsule, (path, message) => {
      if (SHAPELESS.has(path)) measurable = false;
      report(path, message);
    });
    if (options.size && measurable && !fitsCapsule(canonicalCapsule(capsule))) report('capsule', TOO_LARGE);
    options.more?.(report);
  };
  refusing(options.explain, check);
}

/** Where the schema takes anything, so that with a fault there is no canonical form to measure. */
const SHAPELESS: ReadonlySet<string> = new Set(['metadata', 'continuity.related_documents']);

/** What defaults and floats may add to a capsule beyond what was sent. */
const MAY_GROW = 1_500;

/** Whether a capsule from a request of this size could pass the cap, so that measuring it is worth the work. 0: unknown. */
export const mayBeTooLarge = (requestBytes: number): boolean =>
  requestBytes === 0 || requestBytes + MAY_GROW > MAX_CAPSULE_BYTES;

/** The bytes to be stored. */
export function requireFitting(capsule: Capsule): string {
  const canonical = canonicalCapsule(capsule);
  if (!fitsCapsule(canonical)) throw badRequest(TOO_LARGE);
  return canonical;
}
