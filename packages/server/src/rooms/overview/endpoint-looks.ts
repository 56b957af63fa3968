import type { RoomsService } from '../service.ts';
import { endpointsLately, type ListedEndpoint } from './endpoint-list-store.ts';

/** Endpoints as people see them: of one account, or of all. */
export const listHooks = (
  { database }: RoomsService,
  ownerId: string | undefined,
  limit: number,
): Promise<ListedEndpoint[]> => endpointsLately(database.read, ownerId, limit);
