import type { ContinuityService } from '../continuity/service.ts';
import type { Messaging } from '../delivery/create-messaging.ts';
import type { IdentityService } from '../identity/service.ts';
import { IDLE, type Module } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import { countFilings } from './artifact-store.ts';
import { type CoordinationContext, coordinationContext } from './coordination-context.ts';

/** What the peers of an owner exchange. */
export interface CoordinationModule extends Module {
  readonly context: CoordinationContext;
}

export function createCoordinationModule(
  platform: Platform,
  identity: IdentityService,
  continuity: ContinuityService,
  messaging: Messaging,
): CoordinationModule {
  continuity.memory.documents.add(countFilings);
  return { ...IDLE, context: coordinationContext(platform, identity, continuity, messaging) };
}
