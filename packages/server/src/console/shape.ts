import type { RouteDeclaration } from '@parley/protocol/route';
import type { FastifyRequest } from 'fastify';
import type { Call, RouteShape } from '../platform/http/route-table.ts';
import { DeliveryError, deliveryRefusals } from '../wire/delivery/errors.ts';
import type { Person } from '../wire/person.ts';

/** Undefined where a route asks for nobody. */
export type MaybePerson = Person | undefined;

export const peopleShape: RouteShape<MaybePerson> = {
  ...deliveryRefusals,
  async authenticate(route: RouteDeclaration, request: FastifyRequest): Promise<MaybePerson> {
    if (route.auth === 'none') return request.person;
    if (!request.person) throw new DeliveryError('invalid_session', 'you are not signed in to the console');
    if (route.auth === 'operator' && request.person.role !== 'operator')
      throw new DeliveryError('operator_only');
    return request.person;
  },
};

/** Of a route that asks for somebody. */
export function personOf({ caller }: Pick<Call<MaybePerson, unknown, unknown>, 'caller'>): Person {
  if (!caller) throw new DeliveryError('invalid_session');
  return caller;
}
