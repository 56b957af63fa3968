import { isObject } from '@parley/protocol/json';
import { charsOf } from '../../platform/chars.ts';
import { definedEntries } from '../capsule/same-json.ts';
import { floatText } from '../capsule/canonical.ts';

/** A rough count of what a model would be charged for a value, from the plain text it is shown as. */
export function tokensOf(value: unknown): number {
  return Math.ceil(charsOf(renderedText(value)) / 4);
}

function renderedText(value: unknown, key = ''): string {
  if (Array.isArray(value)) return value.map((item) => `- ${itemText(item)}`).join('\n');
  if (isObject(value)) {
    const floats = key === 'confidence';
    return definedEntries(value)
      .map(([name, inner]) => {
        const text = floats && typeof inner === 'number' ? floatText(inner) : renderedText(inner, name);
        return `${name}: ${text}`;
      })
      .join('\n');
  }
  return scalarText(value);
}

function itemText(item: unknown): string {
  return typeof item === 'object' && item !== null ? spacedJson(item) : scalarText(item);
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === true) return 'True';
  if (value === false) return 'False';
  return typeof value === 'number' ? String(value) : 'None';
}

/** JSON with a blank after each comma and colon. */
function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = definedEntries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${spacedJson(inner)}`);
  return `{${members.join(', ')}}`;
}
