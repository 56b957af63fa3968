import { hash } from 'node:crypto';
import type { Credential } from '../../wire/caller.ts';
import { isKnown } from '../../platform/http/etag.ts';
import type { Call, RouteTable } from '../../platform/http/route-table.ts';
import { unauthorized } from '../../wire/rooms/errors.ts';
import type { RoomCaller } from '../access/authentication.ts';

export type RoomCall<Body = unknown, Query = unknown> = Call<RoomCaller | undefined, Body, Query>;
export type RoomRouteTable = RouteTable<RoomCaller | undefined>;

/** The calling agent, on routes that let nobody else in. */
export function agentOf({ caller }: RoomCall): string {
  if (!caller) throw unauthorized();
  return caller.agent;
}

/** What the calling agent proved itself with, on routes that take no room token. */
export function credentialOf({ caller }: RoomCall): Credential {
  if (!caller?.credential) throw unauthorized();
  return caller.credential;
}

export function idOf({ params }: RoomCall): string {
  return (params.id ?? '').trim();
}

/** Answers 304 when the client has this very answer already. */
export function sendUnlessKnown({ request, reply }: RoomCall, answer: object): unknown {
  const json = JSON.stringify(answer);
  const tag = `"${hash('sha256', json).slice(0, 32)}"`;
  void reply.headers({ ETag: tag, 'Cache-Control': 'private, no-cache' });
  if (isKnown(request, tag)) return reply.code(304).send();
  return reply.code(200).type('application/json; charset=utf-8').send(json);
}
