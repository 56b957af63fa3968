import type { OwnedPaths } from '../platform/http/unrouted.ts';
import { RoomsError } from './errors.ts';

/** `/v1/agent` is singular: `/v1/agents` belongs to another protocol. */
export const roomsPaths: OwnedPaths = {
  prefixes: [
    '/v1/agent',
    '/v1/listings',
    '/v1/rooms',
    '/v1/mode',
    '/v1/capabilities',
    '/healthz',
    '/skill.md',
  ],
  echoesRequestIds: true,
  notFound: () => new RoomsError('not_found'),
  malformed: () => new RoomsError('invalid_request', 'The path has a malformed percent escape.'),
};
