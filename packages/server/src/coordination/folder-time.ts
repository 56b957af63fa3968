import { z } from 'zod';
import { instantOrUndefined, wholeSeconds } from '../continuity/capsule/instant.ts';

/** A time in a folder from elsewhere: in any spelling a capsule may have, told as we tell times. */
export const folderTime = z.string().transform((text, context) => {
  const instant = instantOrUndefined(text);
  if (instant) return wholeSeconds(instant.floorMs);
  context.addIssue({ code: 'custom', message: 'not a time in UTC' });
  return z.NEVER;
});
