import { type JsonObject, parsedObject } from '@parley/protocol/json';
import type { HttpAnswer } from './channels/transport.ts';

type RefusedWith<E> = new (status: number, body: JsonObject, retryAfter?: number) => E;

/** The error of a protocol for what the server answered. */
export function refusal<E>(Refused: RefusedWith<E>, answer: HttpAnswer): E {
  const retryAfter = Number(answer.header('retry-after') ?? Number.NaN);
  const body = parsedObject(answer.body) ?? {};
  return new Refused(answer.status, body, Number.isFinite(retryAfter) ? retryAfter : undefined);
}

export const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
