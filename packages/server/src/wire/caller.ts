import type { PlanName } from '@parley/protocol/delivery/plans';
import type { LimitVerdict, Wait } from '../platform/limits/limiter.ts';

/** An agent as other modules hold it. Stored everywhere by its suffix; each protocol spells it its own way. */
export interface AgentRef {
  readonly suffix: string;
  readonly ownerId: string;
  readonly name: string;
  readonly slug: string;
}

/** What proved who the caller is. Streams keep it, to end when it does. */
export interface Credential {
  /** `internal`: a trusted program in front of the server vouches for the owner. `console`: a person is signed in. */
  readonly kind: 'api_key' | 'session' | 'internal' | 'console';
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

/** What came of an `Authorization` header. */
export type Admission =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | { readonly kind: 'refused'; readonly reason: 'missing' | 'unknown' | 'rotated' | 'revoked' | 'expired' }
  | ({ readonly kind: 'limited' } & Wait);

/** What came of a request by a program in front of this server that speaks for the owner it names. */
export type VouchedAdmission =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | { readonly kind: 'unknown_owner' };

/** What an answer says about a limit, as `X-RateLimit-*`. */
export interface ShownLimit {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds. */
  readonly reset: number;
}

export interface CountedRequest {
  readonly verdict: LimitVerdict;
  readonly shown: ShownLimit | undefined;
}

/** Who calls, as every protocol asks for it. Identity answers. */
export interface CallerGate {
  readonly bearer: { admit(authorization: string | undefined, address: string): Promise<Admission> };
  readonly integrator: {
    /** Undefined when the request is not the integrator's. */
    admit(headers: Readonly<Record<string, unknown>>): Promise<VouchedAdmission | undefined>;
  };
  readonly requestLimits: {
    /** Undefined when the caller's plan has no limit. */
    take(caller: Caller): Promise<CountedRequest | undefined>;
  };
  /** Whether most of what the caller's plan allows in a month is used. */
  nearQuota(caller: Caller): Promise<boolean>;
}
