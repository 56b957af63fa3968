import { auditIn } from '../continuity/audit.ts';
import { requireRoom } from '../continuity/documents-budget.ts';
import type { ContinuityService } from '../continuity/service.ts';
import type { Messaging } from '../delivery/create-messaging.ts';
import { keyHolders } from '../identity/keys/key-holders.ts';
import type { IdentityService } from '../identity/service.ts';
import { errorFields } from '../platform/log.ts';
import type { Module } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import type { CoordinationContext } from './coordination-context.ts';
import { countArtifacts } from './artifact-store.ts';
import { HandoffRetention } from './handoff-retention.ts';
import { type HandoffWakes, handoffWakes } from './handoff-wakes.ts';
import { type CoordinationOperation, coordinationOperations } from './operations.ts';

/** What the peers of an owner exchange. */
export interface CoordinationModule extends Module {
  readonly operations: readonly CoordinationOperation[];
  /** For the agent's own stream. */
  readonly handoffs: HandoffWakes;
}

/** What its routes are made from. */
export interface CoordinationRoutesContext extends Platform {
  readonly identity: IdentityService;
  readonly coordination: CoordinationModule;
}

export function createCoordinationModule(
  platform: Platform,
  identity: IdentityService,
  continuity: ContinuityService,
  { mail, settings }: Messaging,
): CoordinationModule {
  const { database, clock, random, log, config } = platform;
  const { directory } = identity;
  continuity.memory.held.add(countArtifacts);
  const handoffs = handoffWakes({ ...platform, directory, spellAgent: settings.spellAgent });
  const context: CoordinationContext = {
    database,
    clock,
    random,
    directory,
    journal: continuity.journal,
    audit: auditIn(log, 'coordination'),
    mail,
    wakes: handoffs,
    sendsHandoffs: config.handoffMessages,
    room: (tx, ownerId) => requireRoom(continuity.memory, tx, ownerId),
    kept: new HandoffRetention({ ...platform, journal: continuity.journal }, config.handoffsKeptDays),
    keyHolders: (ownerId) => keyHolders(identity, ownerId),
    onError: (error) => log.error('coordination_failed', errorFields(error)),
  };
  return {
    operations: coordinationOperations(context),
    handoffs,
    start: async () => undefined,
    release: () => undefined,
    close: async () => undefined,
  };
}
