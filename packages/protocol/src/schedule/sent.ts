import type { z } from 'zod';
import type * as requests from './requests.ts';

/* What clients write: the requests before defaults and trimming. */

export type SentItem = z.input<typeof requests.createItem>;
export type SentChange = z.input<typeof requests.changeItem>;
export type SentAcknowledge = z.input<typeof requests.acknowledgeItem>;
export type SentRetire = z.input<typeof requests.retireItem>;
