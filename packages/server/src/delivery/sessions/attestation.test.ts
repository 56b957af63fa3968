import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashSecret } from '../../platform/auth/secrets.ts';
import { type AttestingSession, checkToken, ed25519Key, type Presented } from './attestation.ts';

const TOKEN = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const EXECUTION = '0b1e6d0e-6a5c-4d8b-9f0f-2b8f6e1f7c11';

const tokened: AttestingSession = {
  label: 'main',
  taskName: 'max-app-main-live',
  tokenHash: hashSecret(TOKEN),
  attestationKey: null,
};
const bare: AttestingSession = {
  label: 'old',
  taskName: 'max-app-old-live',
  tokenHash: null,
  attestationKey: null,
};
const presented: Presented = {
  executionId: EXECUTION,
  token: TOKEN,
  taskName: null,
  proof: null,
  offeredTask: tokened.taskName,
};
const mismatch = { valid: false, reason: 'token_mismatch' };

describe.each(['hybrid', 'strict'] as const)('attestation › %s, once a session has a token', (setting) => {
  const sessions = [tokened, bare];

  test('accepts that token', () => {
    expect(checkToken(setting, sessions, presented)).toEqual({ valid: true, label: 'main', kind: 'token' });
  });

  test.each(['x', `${TOKEN}x`, TOKEN.toLowerCase(), tokened.taskName])('refuses %s', (token) => {
    expect(checkToken(setting, sessions, { ...presented, token })).toEqual(mismatch);
  });

  test('knows a session without a token by its bare task name', () => {
    const claim = { ...presented, token: bare.taskName, offeredTask: bare.taskName };
    expect(checkToken(setting, sessions, claim)).toEqual({ valid: true, label: 'old', kind: 'task_name' });
  });

  test('refuses a session that the offer was not made to', () => {
    expect(checkToken(setting, sessions, { ...presented, offeredTask: bare.taskName })).toEqual(mismatch);
  });

  test('lets any session of the agent take over what is no live offer', () => {
    expect(checkToken(setting, sessions, { ...presented, offeredTask: null })).toMatchObject({ valid: true });
  });

  test('wants a task name that is sent to be the session’s own', () => {
    expect(checkToken(setting, sessions, { ...presented, taskName: tokened.taskName })).toMatchObject({
      valid: true,
    });
    expect(checkToken(setting, sessions, { ...presented, taskName: bare.taskName })).toEqual(mismatch);
  });

  test('finds the session that is meant among several with one token', () => {
    const both = [{ ...tokened, label: 'other', taskName: 'max-app-other-live' }, tokened];
    expect(checkToken(setting, both, presented)).toMatchObject({ valid: true, label: 'main' });
    const named = { ...presented, offeredTask: null, taskName: 'max-app-other-live' };
    expect(checkToken(setting, both, named)).toMatchObject({ valid: true, label: 'other' });
  });

  test('refuses the token of a session that was detached or rotated', () => {
    expect(checkToken(setting, [{ ...tokened, tokenHash: hashSecret('another') }], presented)).toEqual(
      mismatch,
    );
  });
});

describe('attestation › no session has a token', () => {
  test('hybrid accepts any, as grace, and names the session by its task', () => {
    const claim = { ...presented, token: 'anything', offeredTask: bare.taskName };
    expect(checkToken('hybrid', [bare], claim)).toEqual({ valid: true, label: 'old', kind: 'grace' });
    expect(checkToken('hybrid', [], claim)).toEqual({ valid: true, label: null, kind: 'grace' });
  });

  test('grace names the session whose token it is, where no task tells', () => {
    const claim = { ...presented, offeredTask: null };
    expect(checkToken('grace', [bare, tokened], claim)).toEqual({
      valid: true,
      label: 'main',
      kind: 'grace',
    });
    expect(checkToken('grace', [bare], claim)).toEqual({ valid: true, label: null, kind: 'grace' });
  });

  test('strict accepts the bare task name only', () => {
    const claim = { ...presented, offeredTask: bare.taskName };
    expect(checkToken('strict', [bare], { ...claim, token: 'anything' })).toEqual(mismatch);
    expect(checkToken('strict', [bare], { ...claim, token: bare.taskName })).toMatchObject({ valid: true });
    expect(checkToken('strict', [], claim)).toEqual(mismatch);
  });
});

test('attestation › grace accepts any token whatever is registered', () => {
  expect(checkToken('grace', [tokened], { ...presented, token: 'anything' })).toEqual({
    valid: true,
    label: 'main',
    kind: 'grace',
  });
});

describe('attestation › a session with a key', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const keyed: AttestingSession = { ...tokened, attestationKey: raw.toString('base64') };
  const proofOver = (text: string) => sign(null, Buffer.from(text), privateKey).toString('base64');

  test('must sign the execution id besides showing the token', () => {
    const claim = { ...presented, proof: proofOver(EXECUTION) };
    expect(checkToken('hybrid', [keyed], claim)).toEqual({ valid: true, label: 'main', kind: 'proof' });
  });

  test.each([
    ['nothing', null],
    ['nonsense', 'AAAA'],
    ['the signature of another execution', proofOver('another')],
  ])('is not believed with %s', (_, proof) => {
    expect(checkToken('hybrid', [keyed], { ...presented, proof })).toEqual({
      valid: false,
      reason: 'proof_required',
    });
  });

  test('needs the token all the same', () => {
    const claim = { ...presented, token: 'x', proof: proofOver(EXECUTION) };
    expect(checkToken('hybrid', [keyed], claim)).toEqual(mismatch);
  });

  test('only 32 bytes are a key', () => {
    expect(ed25519Key(raw.toString('base64url'))).toBeDefined();
    expect(ed25519Key(raw.toString('base64').slice(4))).toBeUndefined();
    expect(ed25519Key('')).toBeUndefined();
  });
});
