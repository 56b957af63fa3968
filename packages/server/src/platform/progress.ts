import { AsyncLocalStorage } from 'node:async_hooks';

/** Told how much of some work is done. */
export type Progress = (done: number, total: number) => void;

const heard = new AsyncLocalStorage<Progress>();

/** Does something, and hears how far it is: as much as it tells. */
export const hearingProgress = <T>(hear: Progress, act: () => Promise<T>): Promise<T> => heard.run(hear, act);

/** Whoever wants to hear of the work that is being done; mostly nobody, so that counting is worth asking first. */
export const progressListener = (): Progress | undefined => heard.getStore();
