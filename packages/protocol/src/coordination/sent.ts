import type { z } from 'zod';
import type * as requests from './requests.ts';

/* What clients write: the requests before defaults. */

export type SentHandoff = z.input<typeof requests.handoffCreate>;
export type SentConsume = z.input<typeof requests.handoffConsume>;
export type SentHandoffsQuery = Partial<z.input<typeof requests.handoffsQuery>>;
export type SentShared = z.input<typeof requests.sharedCreate>;
export type SentSharedUpdate = z.input<typeof requests.sharedUpdate>;
export type SentSharedQuery = Partial<z.input<typeof requests.sharedQuery>>;
export type SentReconciliation = z.input<typeof requests.reconciliationOpen>;
export type SentResolve = z.input<typeof requests.reconciliationResolve>;
export type SentReconciliationsQuery = Partial<z.input<typeof requests.reconciliationsQuery>>;
export type SentPeer = z.input<typeof requests.peerRegister>;
export type SentTrust = z.input<typeof requests.peerTrust>;
