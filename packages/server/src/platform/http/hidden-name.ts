const HIDDEN = '__proto__';

/** Cheap, and true for every text that could hold the name: as it is, or with some of it written as an escape. */
export const mayHideName = (json: string): boolean => json.includes(HIDDEN) || json.includes('\\u');

/** Whether some object has a member `__proto__`. Copying an object loses it, or gives the copy another prototype. */
export function hidesName(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, HIDDEN)) return true;
  return Object.values(value).some(hidesName);
}
