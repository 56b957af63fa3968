import type { CountAsk } from '../../platform/database/built.ts';
import type { RoomsService } from '../service.ts';
import { turnCountsSince } from './lately-store.ts';

export const turnCounts = ({ database }: RoomsService, ask: CountAsk) => turnCountsSince(database.read, ask);
