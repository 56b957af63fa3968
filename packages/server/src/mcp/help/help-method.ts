import type { Loose } from '../message.ts';
import { invalidParams } from '../rpc-error.ts';
import { type HelpPage, pathOf } from './help-page.ts';

/** A page of the help as the result of a method. */
export function helpResult(page: HelpPage, { _meta, ...given }: Loose): object {
  const { route, argument, noun } = page;
  const stray = Object.keys(given).find((field) => field !== argument);
  if (stray !== undefined) throw invalidParams(`unexpected ${route.name} param`, { field: stray });
  const named = argument === undefined ? '' : nameFrom(argument, given[argument]);
  const body = page.page(named);
  if (!body)
    throw invalidParams(`unknown ${noun}`, { [argument ?? 'name']: named, allowed_values: page.known() });
  const path = pathOf(page, named);
  return {
    content: [{ type: 'text', text: `${route.summary} The same is at GET ${path}.` }],
    structuredContent: { httpEquivalent: path, ...body },
  };
}

function nameFrom(argument: string, value: unknown): string {
  if (argument === 'code') {
    if (!Number.isSafeInteger(value)) throw invalidParams('code must be an integer');
    return String(value);
  }
  if (typeof value !== 'string' || value === '') throw invalidParams(`${argument} is required`);
  return value;
}
