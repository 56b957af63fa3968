import type { RoomsService } from '../service.ts';
import { endpointsLately, type ListedEndpoint } from './endpoint-list-store.ts';

/** Endpoints as people see them: of some agents, or of all. */
export const listHooks = (
  { database }: RoomsService,
  agents: readonly string[] | undefined,
  limit: number,
): Promise<ListedEndpoint[]> => endpointsLately(database.read, agents, limit);
