const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** `3.4 MB`: three digits say enough. */
export function bytes(amount: number): string {
  let value = amount;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** `3 days 4 h`, `12 min`: the two largest parts. */
export function span(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), seconds < 172_800 ? 'day' : 'days'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ] as const;
  const first = parts.findIndex(([n]) => n > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([n]) => n > 0)
    .map(([n, unit]) => `${n} ${unit}`)
    .join(' ');
}
