import { z } from 'zod';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import { instantOrUndefined } from '../continuity/capsule/instant.ts';

/** A time in a folder from elsewhere: in any spelling a capsule may have, told as we tell times. */
export const folderTime = z.string().transform((text, context) => {
  const instant = instantOrUndefined(text);
  if (instant) return isoSeconds(instant.floorMs);
  context.addIssue({ code: 'custom', message: 'not a time in UTC' });
  return z.NEVER;
});
