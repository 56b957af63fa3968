import { ADMIN_SCOPE, hasScope, inNamespaces, type Scope } from '@parley/protocol/identity/scopes';
import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import type { RouteDeclaration } from '@parley/protocol/route';
import type { Caller } from '../wire/caller.ts';
import { activePath } from './artifacts/paths.ts';
import { type Subject, subjectOf } from './capsule/subject.ts';
import { forbidden, missingScope } from '../wire/memory/errors.ts';

/** The agent's name among the owner's peers; an owner-wide key speaks for the owner's own. */
export const peerIdOf = (caller: Caller): string => caller.agent?.slug ?? 'self';

/** Whose memory a caller writes to, and as whom. */
export const writerOf = (caller: Caller) => ({ ownerId: caller.ownerId, peerId: peerIdOf(caller) });

export function requireScope(caller: Caller, scope: Scope): void {
  if (!hasScope(caller.scopes, scope)) throw missingScope(scope);
}

/** Those of every call of the route. */
export function requireScopes(caller: Caller, { scopes = [] }: RouteDeclaration): void {
  for (const scope of scopes) requireScope(caller, scope);
}

const may = ({ scopes }: Caller, namespaces: readonly string[], path: string): boolean =>
  scopes.includes(ADMIN_SCOPE) || inNamespaces(namespaces, path);

export const mayRead = (caller: Caller, path: string): boolean => may(caller, caller.readNamespaces, path);

export function requireRead(caller: Caller, path: string): void {
  if (!mayRead(caller, path)) throw forbidden(`Read path namespace not allowed: ${path}`);
}

export function requireWrite(caller: Caller, path: string): void {
  if (!may(caller, caller.writeNamespaces, path))
    throw forbidden(`Write path namespace not allowed: ${path}`);
}

/** Whom a request is about, and where its capsule stands, which the caller may read. */
export function readableSubject(
  caller: Caller,
  { subject_kind: kind, subject_id: id }: { readonly subject_kind: SubjectKind; readonly subject_id: string },
): { readonly subject: Subject; readonly path: string } {
  const subject = subjectOf(kind, id);
  const path = activePath(subject);
  requireRead(caller, path);
  return { subject, path };
}
