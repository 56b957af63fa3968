import * as declared from '@parley/protocol/coordination/routes';
import type { RouteDeclaration } from '@parley/protocol/route';
import type { z } from 'zod';
import type { AuditFields } from '../continuity/audit.ts';
import { requireRead, requireWrite } from '../continuity/access.ts';
import type { Caller } from '../wire/caller.ts';
import type { CoordinationContext } from './coordination-context.ts';
import { consumeHandoff, createHandoff, queryHandoffs, readHandoff } from './handoffs.ts';
import { changeTrust, listPeers, registerPeer, REGISTRY_PATH } from './peers.ts';
import {
  openReconciliation,
  queryReconciliations,
  readReconciliation,
  resolveReconciliation,
} from './reconciliations.ts';
import { createShared, queryShared, readShared, updateShared } from './shared-states.ts';

/** What came in, after the schema: from a body, a query and a path. */
export interface CoordinationCall<Body, Query> {
  readonly caller: Caller;
  readonly body: Body;
  readonly query: Query;
  /** What the path names; empty where it names nothing. */
  readonly id: string;
}

/** An operation by its declaration: what it needs, and what it does, whatever transport it came by. */
export interface CoordinationOperation {
  readonly route: RouteDeclaration;
  run(call: CoordinationCall<unknown, unknown>): Promise<object>;
}

export function coordinationOperations(context: CoordinationContext): readonly CoordinationOperation[] {
  return operationsOf(context).map((each) => ({
    ...each,
    run: async (call) => {
      const answer = await each.run(call);
      context.audit(call.caller, each.route.name.replace('coordination.', ''), auditOf(call.id, answer));
      return answer;
    },
  }));
}

/** Which artifact or peer it was, and whether anything changed. */
function auditOf(id: string, answer: object): AuditFields {
  return {
    ...(id !== '' && { id }),
    ...('path' in answer && typeof answer.path === 'string' && { path: answer.path }),
    ...('updated' in answer && { updated: answer.updated === true }),
  };
}

function operationsOf(context: CoordinationContext): readonly CoordinationOperation[] {
  return [
    operation(declared.handoffCreate, ({ caller, body }) => createHandoff(context, caller, body)),
    operation(declared.handoffRead, ({ caller, id }) => readHandoff(context, caller, id)),
    operation(declared.handoffsQuery, ({ caller, query }) => queryHandoffs(context, caller, query)),
    operation(declared.handoffConsume, ({ caller, id, body }) => consumeHandoff(context, caller, id, body)),
    operation(declared.sharedCreate, ({ caller, body }) => createShared(context, caller, body)),
    operation(declared.sharedQuery, ({ caller, query }) => queryShared(context, caller, query)),
    operation(declared.sharedRead, ({ caller, id }) => readShared(context, caller, id)),
    operation(declared.sharedUpdate, ({ caller, id, body }) => updateShared(context, caller, id, body)),
    operation(declared.reconciliationOpen, ({ caller, body }) => openReconciliation(context, caller, body)),
    operation(declared.reconciliationsQuery, ({ caller, query }) =>
      queryReconciliations(context, caller, query),
    ),
    operation(declared.reconciliationRead, ({ caller, id }) => readReconciliation(context, caller, id)),
    operation(declared.reconciliationResolve, ({ caller, id, body }) =>
      resolveReconciliation(context, caller, id, body),
    ),
    operation(declared.peerList, ({ caller }) => {
      requireRead(caller, REGISTRY_PATH);
      return listPeers(context, caller);
    }),
    operation(declared.peerRegister, ({ caller, body }) => {
      requireWrite(caller, REGISTRY_PATH);
      return registerPeer(context, caller, body);
    }),
    operation(declared.peerTrust, ({ caller, id, body }) => {
      requireWrite(caller, REGISTRY_PATH);
      return changeTrust(context, caller, id, body);
    }),
  ];
}

function operation<Body extends z.ZodType, Query extends z.ZodType>(
  route: RouteDeclaration<Body, Query>,
  run: (call: CoordinationCall<z.output<Body>, z.output<Query>>) => Promise<object>,
): CoordinationOperation {
  // Whoever calls has checked body and query with the schemas of the route.
  return { route, run: (call) => run(call as CoordinationCall<z.output<Body>, z.output<Query>>) };
}
