import { holdYoungHeap } from './platform/young-heap.ts';

holdYoungHeap();
// Only now: everything that is made while the modules are read belongs to the start.
const main = await import('./main.ts');

/** @public What `@parley/server/main` leads to in the bundle. */
export const serve = main.serve;
