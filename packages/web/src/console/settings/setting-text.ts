import type { ServerSettingsAnswer } from '@parley/protocol/console/system-routes';

type Value = ServerSettingsAnswer['settings'][number]['value'];

/** As one would write it: a list with commas, names with their numbers. */
export function settingText(value: Value): string {
  if (value === null) return 'not set';
  if (value === true) return 'on';
  if (value === false) return 'off';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, each]) => `${name}=${each}`)
      .join(', ');
  return String(value);
}
