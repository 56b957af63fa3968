import * as declared from '@parley/protocol/coordination/routes';
import type { FastifyInstance } from 'fastify';
import type { AuditFields } from '../continuity/audit.ts';
import { memoryRoutes } from '../continuity/memory-routes.ts';
import type { IdentityService } from '../identity/service.ts';
import type { Platform } from '../platform.ts';
import type { MemoryLimits } from '../wire/memory/plugin.ts';
import type { CoordinationContext } from './coordination-context.ts';
import { consumeHandoff, createHandoff, queryHandoffs, readHandoff } from './handoffs.ts';
import { changeTrust, listPeers, registerPeer } from './peers.ts';
import { openReconciliation, queryReconciliations, resolveReconciliation } from './reconciliations.ts';
import { createShared, queryShared, updateShared } from './shared-states.ts';
import { readArtifact } from './visibility.ts';

export async function coordinationRoutes(
  app: FastifyInstance,
  context: Platform & { readonly identity: IdentityService; readonly coordination: CoordinationContext },
  limits: MemoryLimits,
): Promise<void> {
  const { coordination: peers } = context;
  const { table, add } = memoryRoutes(app, context, {
    limits,
    module: 'coordination',
    done: ({ name }, { caller, params }, answer) =>
      peers.audit(caller, name.replace('coordination.', ''), auditOf(idOf(params), answer)),
  });
  add(declared.handoffCreate, (call) => createHandoff(peers, call));
  add(declared.handoffRead, (call) => readHandoff(peers, call));
  add(declared.handoffsQuery, (call) => queryHandoffs(peers, call));
  add(declared.handoffConsume, (call) => consumeHandoff(peers, call));
  add(declared.sharedCreate, (call) => createShared(peers, call));
  add(declared.sharedQuery, (call) => queryShared(peers, call));
  add(declared.sharedRead, ({ caller, params }) => readArtifact(peers, caller, 'shared', idOf(params)));
  add(declared.sharedUpdate, (call) => updateShared(peers, call));
  add(declared.reconciliationOpen, (call) => openReconciliation(peers, call));
  add(declared.reconciliationsQuery, (call) => queryReconciliations(peers, call));
  add(declared.reconciliationRead, ({ caller, params }) =>
    readArtifact(peers, caller, 'reconciliation', idOf(params)),
  );
  add(declared.reconciliationResolve, (call) => resolveReconciliation(peers, call));
  add(declared.peerList, (call) => listPeers(peers, call));
  add(declared.peerRegister, (call) => registerPeer(peers, call));
  add(declared.peerTrust, (call) => changeTrust(peers, call));
  table.refuseOtherMethods();
}

/** What the path names; empty where it names nothing. */
const idOf = (params: Readonly<Record<string, string>>): string => Object.values(params)[0] ?? '';

/** Which artifact or peer it was, and whether anything changed. */
function auditOf(id: string, answer: object): AuditFields {
  return {
    ...(id !== '' && { id }),
    ...('path' in answer && typeof answer.path === 'string' && { path: answer.path }),
    ...('updated' in answer && { updated: answer.updated === true }),
  };
}
