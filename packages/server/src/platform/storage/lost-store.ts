import { statSync } from 'node:fs';

/** A key without the store it was made for: somebody moved the one and not the other, or a disk is not mounted. */
class StoreLostError extends Error {
  override readonly name = 'StoreLostError';
}

/** A fresh start beside an old key would look like every account, message and memory was gone, and hide why. */
export function refuseLostStore(store: string, keyFile: string): void {
  if (sizeOf(keyFile) === undefined || (sizeOf(store) ?? 0) > 0) return;
  const what = sizeOf(store) === undefined ? 'is missing' : 'is empty';
  throw new StoreLostError(
    `the database ${store} ${what}, but the key ${keyFile} of an earlier one is there. Put the database back ` +
      '(from a backup, or mount its disk). To begin anew, move the key file away first',
  );
}

const sizeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.size;
