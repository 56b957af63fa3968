import { z } from 'zod';
import { queryWhole } from '../delivery/fields.ts';

/** A page is asked for with the `next` of the one before. */
export const paged = { cursor: z.string().max(100).optional(), limit: queryWhole(1, 200).default(50) };
export const next = z.string().nullable();
/** By id or slug; left out: everybody whom the person may see. */
export const owner = z.string().max(100).optional();
