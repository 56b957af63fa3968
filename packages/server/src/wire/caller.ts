import type { PlanName } from '@parley/protocol/delivery/plans';

/** An agent as other modules hold it. Stored everywhere by its suffix; each protocol spells it its own way. */
export interface AgentRef {
  readonly suffix: string;
  readonly ownerId: string;
  readonly name: string;
  readonly slug: string;
}

/** What proved who the caller is. Streams keep it, to end when it does. */
export interface Credential {
  /** `internal`: a trusted program in front of the server vouches for the owner. */
  readonly kind: 'api_key' | 'session' | 'internal';
  readonly id: string;
  readonly expiresAt: number | null;
}

export interface Caller {
  readonly ownerId: string;
  readonly ownerSlug: string;
  /** What the owner may use; read with every request, so that a change holds at once. */
  readonly plan: PlanName;
  /** The agent the credential is bound to; undefined for an owner-wide key. */
  readonly agent: AgentRef | undefined;
  readonly credential: Credential;
  /** The API key itself, or the one that opened the session. */
  readonly keyId: string;
  readonly keyPrefix: string;
  readonly scopes: readonly string[];
  readonly readNamespaces: readonly string[];
  readonly writeNamespaces: readonly string[];
}
