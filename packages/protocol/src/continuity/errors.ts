/** A refusal of the memory protocols: when it comes, what to do, and where more is told. */
export interface MemoryErrorRow {
  readonly status: number;
  readonly told: string;
  readonly see: string;
}

const TABLE = '/guide/memory#errors';
const HANDOFFS = '/guide/reminders-and-handoffs#handoffs';
const SHARED = '/guide/reminders-and-handoffs#shared-states';
const RECONCILIATIONS = '/guide/reminders-and-handoffs#reconciliations';
const PEERS = '/guide/reminders-and-handoffs#calls';

/** What refusals without a word of their own are called, and the words of coordination. Bodies are those of the protocol: only the link names these. */
export const MEMORY_ERRORS = {
  unauthorized: {
    status: 401,
    told: 'Send a key or a session token that holds: Authorization: Bearer …',
    see: '/guide/identity#as-an-agent',
  },
  quota_exceeded: {
    status: 402,
    told: 'This account keeps as much as it may. Delete or archive something, or ask the operator for more.',
    see: '/guide/identity#plans',
  },
  missing_scope: {
    status: 403,
    told: 'The key lacks the scope that the text names. An owner makes one that has it.',
    see: '/guide/identity#as-an-owner',
  },
  forbidden: {
    status: 403,
    told: 'The path is none that this key may read or write, or the caller is no party.',
    see: '/guide/knowledge#paths',
  },
  invalid_path: {
    status: 403,
    told: 'A path is relative, and no part of it is two dots or could be read as that.',
    see: '/guide/knowledge#paths',
  },
  path_managed: {
    status: 403,
    told: 'The server keeps tasks, capsules, reminders and handoffs there itself. Use their own calls.',
    see: '/guide/knowledge#paths',
  },
  not_found: {
    status: 404,
    told: 'This owner has no such capsule, revision, archive, document or task. List what there is.',
    see: TABLE,
  },
  method_not_allowed: { status: 405, told: 'Use a method that Allow names.', see: '/guide/memory#calls' },
  conflict: {
    status: 409,
    told: 'What is stored has changed, or is newer than what was sent. Read it again, then write.',
    see: TABLE,
  },
  payload_too_large: {
    status: 413,
    told: 'Send less at once, or split the document.',
    see: '/guide/memory#limits',
  },
  misdirected_request: {
    status: 421,
    told: 'Call the server by a name that it answers to.',
    see: TABLE,
  },
  rate_limited: { status: 429, told: 'Wait as long as Retry-After says, then repeat the call.', see: TABLE },
  internal_error: {
    status: 500,
    told: 'A fault of the server; the operator finds the cause in the log. Nothing was changed.',
    see: TABLE,
  },
  service_unavailable: {
    status: 503,
    told: 'The store does not answer for a moment. Nothing was changed, unless the answer says that it may have been: repeat the call.',
    see: TABLE,
  },
  insufficient_storage: {
    status: 507,
    told: 'The disk of the server is nearly full. What only reads still works.',
    see: TABLE,
  },
  source_not_found: {
    status: 404,
    told: 'A claim names an artifact that there is none of.',
    see: RECONCILIATIONS,
  },
  handoff_not_found: { status: 404, told: 'There is no such handoff of or for this agent.', see: HANDOFFS },
  handoff_already_consumed: {
    status: 409,
    told: 'The recipient has answered this handoff. Read it to see how.',
    see: HANDOFFS,
  },
  shared_not_found: { status: 404, told: 'There is no such board that this agent is on.', see: SHARED },
  shared_version_conflict: {
    status: 409,
    told: 'The board has changed since that version. Read it, then update with the version it has.',
    see: SHARED,
  },
  reconciliation_not_found: {
    status: 404,
    told: 'There is no such reconciliation that this agent is a party of.',
    see: RECONCILIATIONS,
  },
  reconciliation_already_resolved: {
    status: 409,
    told: 'It is resolved. Read it to see how.',
    see: RECONCILIATIONS,
  },
  reconciliation_version_conflict: {
    status: 409,
    told: 'It has changed since that version. Read it, then resolve with the version it has.',
    see: RECONCILIATIONS,
  },
  peer_not_found: { status: 404, told: 'No peer of that id is registered. List the peers.', see: PEERS },
  peer_untrusted: { status: 409, told: 'An untrusted peer is handed nothing.', see: PEERS },
  peer_fingerprint_mismatch: {
    status: 409,
    told: 'The key that was sent is not the one the peer is known by.',
    see: PEERS,
  },
  trust_transition_not_allowed: {
    status: 409,
    told: 'Trust does not go from that level to this one.',
    see: PEERS,
  },
} as const satisfies Readonly<Record<string, MemoryErrorRow>>;

export type MemoryErrorCode = keyof typeof MEMORY_ERRORS;

/** What a refusal with this status is called that has no word of its own. */
const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'validation',
  401: 'unauthorized',
  402: 'quota_exceeded',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'payload_too_large',
  421: 'misdirected_request',
  422: 'validation',
  429: 'rate_limited',
  503: 'service_unavailable',
  507: 'insufficient_storage',
};

export const memoryErrorAt = (status: number): string => BY_STATUS[status] ?? 'internal_error';
