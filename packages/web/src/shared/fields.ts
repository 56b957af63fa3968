/** Reading values nobody vouches for: what stands in the storage, what a server answers. */

export function fieldsOf(value: unknown): Record<string, unknown> {
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

/** Milliseconds of an ISO time; 0 where there is none. */
export function timeOf(value: unknown): number {
  return Date.parse(textOf(value)) || 0;
}
