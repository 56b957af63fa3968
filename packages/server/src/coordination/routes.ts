import * as declared from '@parley/protocol/coordination/routes';
import type { FastifyInstance } from 'fastify';
import { requireRead, requireWrite } from '../continuity/access.ts';
import type { AuditFields } from '../continuity/audit.ts';
import { memoryRoutes } from '../continuity/memory-routes.ts';
import type { IdentityService } from '../identity/service.ts';
import type { Platform } from '../platform.ts';
import type { MemoryLimits } from '../wire/memory/plugin.ts';
import type { CoordinationModule } from './create-module.ts';
import { consumeHandoff, createHandoff, queryHandoffs, readHandoff } from './handoffs.ts';
import { changeTrust, listPeers, registerPeer, REGISTRY_PATH } from './peers.ts';
import { openReconciliation, queryReconciliations, resolveReconciliation } from './reconciliations.ts';
import { createShared, queryShared, updateShared } from './shared-states.ts';
import { readArtifact } from './visibility.ts';

export async function coordinationRoutes(
  app: FastifyInstance,
  context: Platform & { readonly identity: IdentityService; readonly coordination: CoordinationModule },
  limits: MemoryLimits,
): Promise<void> {
  const { context: peers } = context.coordination;
  const { table, add } = memoryRoutes(app, context, {
    limits,
    operationAt: () => 'coordination',
    done: ({ name }, { caller, params }, answer) =>
      peers.audit(caller, name.replace('coordination.', ''), auditOf(idOf(params), answer)),
  });
  add(declared.handoffCreate, ({ caller, body }) => createHandoff(peers, caller, body));
  add(declared.handoffRead, ({ caller, params }) => readHandoff(peers, caller, idOf(params)));
  add(declared.handoffsQuery, ({ caller, query }) => queryHandoffs(peers, caller, query));
  add(declared.handoffConsume, ({ caller, params, body }) =>
    consumeHandoff(peers, caller, idOf(params), body),
  );
  add(declared.sharedCreate, ({ caller, body }) => createShared(peers, caller, body));
  add(declared.sharedQuery, ({ caller, query }) => queryShared(peers, caller, query));
  add(declared.sharedRead, ({ caller, params }) => readArtifact(peers, caller, 'shared', idOf(params)));
  add(declared.sharedUpdate, ({ caller, params, body }) => updateShared(peers, caller, idOf(params), body));
  add(declared.reconciliationOpen, ({ caller, body }) => openReconciliation(peers, caller, body));
  add(declared.reconciliationsQuery, ({ caller, query }) => queryReconciliations(peers, caller, query));
  add(declared.reconciliationRead, ({ caller, params }) =>
    readArtifact(peers, caller, 'reconciliation', idOf(params)),
  );
  add(declared.reconciliationResolve, ({ caller, params, body }) =>
    resolveReconciliation(peers, caller, idOf(params), body),
  );
  add(declared.peerList, ({ caller }) => {
    requireRead(caller, REGISTRY_PATH);
    return listPeers(peers, caller);
  });
  add(declared.peerRegister, ({ caller, body }) => {
    requireWrite(caller, REGISTRY_PATH);
    return registerPeer(peers, caller, body);
  });
  add(declared.peerTrust, ({ caller, params, body }) => {
    requireWrite(caller, REGISTRY_PATH);
    return changeTrust(peers, caller, idOf(params), body);
  });
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
