import type { CueFire } from '@parley/protocol/delivery/types';
import { hash } from 'node:crypto';
import type { Reader } from '../../../platform/database/database.ts';
import { compactJson, type Json } from '../../../wire/delivery/signed-json.ts';
import { DeliveryError } from '../../../wire/delivery/errors.ts';
import type { ExecutionRow } from '../../records/execution-row.ts';
import { executionById } from '../../records/execution-store.ts';
import { payloadText } from '../input/cue-input.ts';
import type { CueContext } from '../cue-context.ts';
import { type CueRow, type Payload, payloadOf, requiredKeysOf } from '../record/cue-row.ts';
import { mayFire } from '../record/cue-states.ts';
import { countFire, lockCue } from '../record/cue-store.ts';
import { type Fire, policyText, scheduledFire } from './fire.ts';
import { fireKey, takeFireKey } from './fire-key-store.ts';
import { FireRound } from './fire-round.ts';
import { fireLater, fireNow } from './firing.ts';
import { targetOfFire } from './targets.ts';
import { LATER_JOB } from '../runs/waiting-runs.ts';

/** Fires a cue by hand, beside its schedule. A repeat with the same key is answered with the first execution. */
export async function fireByHand(context: CueContext, cue: CueRow, body: CueFire): Promise<ExecutionRow> {
  const { database, clock, settings, sweeps } = context;
  const key =
    body.idempotency_key == null ? undefined : { key: body.idempotency_key, fingerprint: printOf(body) };
  const known = key && (await repeated(context, database.read, cue.id, key));
  if (known) return known;
  const fire = fireOf(context, cue, body);
  const target = await targetOfFire(context, fire);
  return await database.write(async (tx) => {
    const locked = await lockCue(tx, cue.owner_id, cue.id);
    if (!locked) throw new DeliveryError('cue_not_found');
    mustBeFireable(locked);
    // Of several that arrive together the first is stored, and the others find it.
    const stored = key && (await repeated(context, tx, cue.id, key));
    if (stored) return stored;
    const round = new FireRound(context, tx);
    const execution = await store(round, { ...fire, cue: locked }, target);
    await countFire(tx, cue.id, { fired: 1, executions: 1 });
    await round.close();
    if (key) {
      const now = clock.now();
      await tx.run(takeFireKey({ cue_id: cue.id, ...key, execution_id: execution.id, created_at: now }));
      await sweeps.ensure(tx, now + settings.idempotencyMs);
    }
    return (await executionById(tx, execution.id)) ?? execution;
  });
}

async function store(round: FireRound, fire: Fire, target: string | null): Promise<ExecutionRow> {
  const { clock, jobs } = round.context;
  const later = fire.scheduledFor > clock.now();
  const made = later ? await fireLater(round, fire, target, 'scheduled') : await fireNow(round, fire, target);
  if (!made) throw new Error('a fire by hand was not stored');
  if (later) await jobs.enqueue(round.tx, LATER_JOB, made.id, { dueAt: fire.scheduledFor });
  return made;
}

function fireOf({ clock }: CueContext, cue: CueRow, body: CueFire): Fire {
  mustBeFireable(cue);
  const { payload_override: override, merge_strategy: strategy } = body;
  if (override == null && cue.require_payload_override === 1) {
    throw new DeliveryError('payload_override_required');
  }
  const own = payloadOf(cue);
  const payload = override == null ? own : strategy === 'replace' ? override : { ...own, ...override };
  checkKeys(cue, payload);
  payloadText(payload);
  const now = clock.now();
  return {
    ...scheduledFire(cue, body.send_at != null && body.send_at > now ? body.send_at : now),
    trigger: 'manual_fire',
    payload,
    mode: body.delivery_mode ?? null,
    fallback: body.live_fallback_mode ?? null,
    policy: policyText(cue, body.exit_criteria ?? null),
  };
}

function mustBeFireable({ status }: CueRow): void {
  if (!mayFire(status)) throw new DeliveryError('invalid_state', `a cue that is ${status} cannot be fired`);
}

function checkKeys(cue: CueRow, payload: Payload): void {
  const missing = requiredKeysOf(cue).filter((key) => !Object.hasOwn(payload, key));
  if (missing.length === 0) return;
  throw new DeliveryError(
    'missing_required_payload_keys',
    `the payload lacks required keys: ${missing.join(', ')}`,
  );
}

interface Key {
  readonly key: string;
  readonly fingerprint: string;
}

async function repeated(
  { clock, settings }: CueContext,
  reader: Reader,
  cueId: string,
  { key, fingerprint }: Key,
): Promise<ExecutionRow | undefined> {
  const known = await fireKey(reader, cueId, key, clock.now() - settings.idempotencyMs);
  if (!known) return undefined;
  if (known.fingerprint !== fingerprint) {
    throw new DeliveryError(
      'idempotency_key_conflict',
      `this key was used for another fire, ${known.execution_id}`,
      { extra: { execution_id: known.execution_id } },
    );
  }
  return await executionById(reader, known.execution_id);
}

/** Everything that is asked for but the key. */
function printOf({ idempotency_key: _key, ...body }: CueFire): string {
  // It was parsed from JSON.
  return hash('sha256', compactJson(JSON.parse(JSON.stringify(body)) as Json), 'hex');
}
