/** What the server answers, checked field by field: a schema library would be larger than the whole page. */
import type { RosterEntry, WireEvent } from '@parley/protocol/channels/types';

export interface Joined {
  readonly participantId: string;
  readonly roster: readonly RosterEntry[];
  readonly cursor: number;
}

export interface Page {
  readonly events: readonly WireEvent[];
  readonly cursor: number;
  readonly roster: readonly RosterEntry[] | null;
}

type Fields = Record<string, unknown>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function readEvent(value: unknown): WireEvent | null {
  const fields = fieldsOf(value);
  if (typeof fields.index !== 'number') return null;
  const at = { index: fields.index, timestamp: countOf(fields.timestamp) };
  const from = textOf(fields.from);
  switch (fields.type) {
    case 'message':
      return { type: 'message', from, text: textOf(fields.text), ...at };
    case 'join':
    case 'leave':
      return { type: fields.type, from, ...at };
    case 'system':
      return { type: 'system', reason: textOf(fields.reason), ...at };
    default:
      return null;
  }
}

export function readRoster(value: unknown): RosterEntry[] {
  return listOf(value).map((entry) => {
    const fields = fieldsOf(entry);
    return {
      name: textOf(fields.name),
      key_fp: textOf(fields.key_fp) || null,
      last_seen_s: countOf(fields.last_seen_s),
    };
  });
}

export function readJoined(value: unknown): Joined {
  const fields = fieldsOf(value);
  return {
    participantId: textOf(fields.participant_id),
    roster: readRoster(fields.roster),
    cursor: countOf(fields.cursor),
  };
}

export function readPage(value: unknown): Page {
  const fields = fieldsOf(value);
  return {
    events: listOf(fields.messages).flatMap((entry) => readEvent(entry) ?? []),
    cursor: countOf(fields.cursor),
    roster: Array.isArray(fields.roster) ? readRoster(fields.roster) : null,
  };
}
