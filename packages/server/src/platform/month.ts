/** The UTC month a time falls into, as the time it began; or the one so many months later. */
export function monthOf(time: number, later = 0): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
}
