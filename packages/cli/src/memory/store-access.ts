import type { Config } from '@parley/server/config/settings';
import type { OperatorStore } from '@parley/server/operator-store';
import type { Command } from 'commander';
import { CliError, EXIT } from '../cli-error.ts';
import { addPlaceOptions, configOf, type StorePlace } from '../host/store-place.ts';

export interface StoreOptions extends StorePlace {
  readonly owner: string;
  readonly json?: boolean;
}

export interface OwnedStore extends OperatorStore {
  readonly config: Config;
  readonly owner: { readonly id: string; readonly slug: string };
}

export const STORE_HELP = `
Works on the store of "parley serve" with the same settings: flags, PARLEY_* variables, parley.json. Run it as the user of
the server, in the same folder. The server may be running.`;

export function addStoreOptions(command: Command): Command {
  return addPlaceOptions(command.requiredOption('--owner <slug>', 'whose memory')).option(
    '--json',
    'print one JSON object',
  );
}

/** Opens the store for `work` and closes it whatever happens. */
export async function withStore<T>(
  options: StoreOptions,
  access: 'read' | 'write',
  work: (store: OwnedStore) => Promise<T>,
): Promise<T> {
  const config = await configOf(options);
  const { openOperatorStore, ownerIdOf } = await import('@parley/server/operator-store');
  const store = await openOperatorStore(config, access);
  try {
    const id = await ownerIdOf(store.database.read, options.owner);
    if (id === undefined) {
      throw new CliError('unknown_owner', `parley: there is no owner ${options.owner} in this store`, {
        exitCode: EXIT.gone,
      });
    }
    return await work({ ...store, config, owner: { id, slug: options.owner } });
  } finally {
    await store.close();
  }
}
