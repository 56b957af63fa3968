import type { RoomsService } from '../service.ts';
import { turnCountsSince } from './lately-store.ts';

export const turnCounts = (
  { database }: RoomsService,
  ownerId: string | undefined,
  since: number,
  step: number,
) => turnCountsSince(database.read, ownerId, since, step);
