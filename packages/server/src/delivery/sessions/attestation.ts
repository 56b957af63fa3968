import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { AttestationKind, LiveAttestation } from '@parley/protocol/delivery/vocabulary';
import { hashSecret, secretsEqual } from '../../platform/auth/secrets.ts';

/**
 * Whether a live-claim comes from a real live session.
 *
 * | setting | a session has a token | none has |
 * | --- | --- | --- |
 * | `hybrid` | the token must be one of theirs | any is accepted: grace |
 * | `strict` | the token must be one of theirs | it must be the task name of one |
 * | `grace` | any is accepted | any is accepted |
 *
 * A session without a token is known by its bare task name. A session that registered a key must sign as well, for the
 * token alone can be read by whoever holds the owner's key.
 */
export interface AttestingSession {
  readonly label: string;
  readonly taskName: string;
  readonly tokenHash: string | null;
  /** Ed25519, 32 bytes in base64url. */
  readonly attestationKey: string | null;
}

export interface Presented {
  readonly executionId: string;
  readonly token: string;
  readonly taskName: string | null;
  readonly proof: string | null;
  /** The task of the live offer; null when the execution is none, and may be taken over by any session. */
  readonly offeredTask: string | null;
}

export type TokenVerdict =
  | { readonly valid: true; readonly label: string | null; readonly kind: AttestationKind }
  | { readonly valid: false; readonly reason: 'token_mismatch' | 'proof_required' };

const MISMATCH: TokenVerdict = { valid: false, reason: 'token_mismatch' };

/** `sessions` are the attached ones of the target. */
export function checkToken(
  setting: LiveAttestation,
  sessions: readonly AttestingSession[],
  presented: Presented,
): TokenVerdict {
  const rolledOut = sessions.some(({ tokenHash }) => tokenHash !== null);
  if (setting === 'grace' || (setting === 'hybrid' && !rolledOut)) return graceVerdict(sessions, presented);
  const { token, taskName, offeredTask } = presented;
  // One monitor may have attached several times with the token it made.
  const session = matching(sessions, token).find((one) =>
    [taskName, offeredTask].every((task) => task === null || task === one.taskName),
  );
  if (!session) return MISMATCH;
  if (session.attestationKey !== null) {
    if (!isSigned(session.attestationKey, presented)) return { valid: false, reason: 'proof_required' };
    return { valid: true, label: session.label, kind: 'proof' };
  }
  return { valid: true, label: session.label, kind: session.tokenHash === null ? 'task_name' : 'token' };
}

function graceVerdict(sessions: readonly AttestingSession[], presented: Presented): TokenVerdict {
  const task = presented.taskName ?? presented.offeredTask;
  const session =
    sessions.find(({ taskName }) => taskName === task) ?? matching(sessions, presented.token)[0];
  return { valid: true, label: session?.label ?? null, kind: 'grace' };
}

/** Every session is compared, so that the time taken does not tell which one was nearly right. */
function matching(sessions: readonly AttestingSession[], token: string): AttestingSession[] {
  const hash = hashSecret(token);
  return sessions.filter(({ tokenHash, taskName }) =>
    tokenHash === null ? secretsEqual(token, taskName) : secretsEqual(hash, tokenHash),
  );
}

function isSigned(key: string, { proof, executionId }: Presented): boolean {
  const publicKey = ed25519Key(key);
  if (proof === null || publicKey === undefined) return false;
  return verify(null, Buffer.from(executionId), publicKey, Buffer.from(proof, 'base64'));
}

const KEY_BYTES = 32;

/** Undefined when the text is no key. Base64 and base64url are both read. */
export function ed25519Key(text: string): KeyObject | undefined {
  const raw = Buffer.from(text, 'base64');
  if (raw.length !== KEY_BYTES) return undefined;
  try {
    return createPublicKey({
      format: 'jwk',
      key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
    });
  } catch {
    return undefined;
  }
}
