import { charsWithin } from '../../platform/chars.ts';
import type { Report } from '../../wire/memory/errors.ts';

export function checkText(text: string, path: string, most: number, report: Report, least = 1): void {
  if (text === '' && least > 0) report(path, `Value too short in ${path}`);
  if (!charsWithin(text, most)) report(path, `Value too long in ${path}`);
}

export function checkTexts(
  items: readonly string[],
  path: string,
  { chars, least = 0 }: { readonly chars: number; readonly least?: number },
  report: Report,
): void {
  for (const item of items) checkText(item, path, chars, report, least);
}
