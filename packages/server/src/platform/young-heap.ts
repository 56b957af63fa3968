import { setFlagsFromString } from 'node:v8';

/**
 * The part of the heap for what is new doubles whenever much of it is still in use, and hardly ever shrinks. A start makes little
 * else than what stays, so that it would grow to its largest, some 13 MB that an idle server then holds for nothing.
 */
export const holdYoungHeap = (): void => setFlagsFromString('--semi-space-growth-factor=1');

/** As Node has it. */
export const letYoungHeapGrow = (): void => setFlagsFromString('--semi-space-growth-factor=2');
