import { CHANNELS } from '../delivery/vocabulary.ts';

/** How an agent would be reached now. `away`: it says so itself. */
export const REACHES = [...CHANNELS, 'away'] as const;
