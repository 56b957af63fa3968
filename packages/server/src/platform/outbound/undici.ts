import { createRequire } from 'node:module';
import type * as Undici from 'undici';

const require = createRequire(import.meta.url);

let loaded: typeof Undici | undefined;

/** Loaded with the first request that leaves the server: most of what a start would read otherwise is this. */
export function undici(): typeof Undici {
  return (loaded ??= require('undici') as typeof Undici);
}
