import { Command } from 'commander';
import { printJson, printNote } from '../output.ts';
import { addPlaceOptions, configOf, refusalsTold, type StorePlace } from './store-place.ts';

interface NodesOptions extends StorePlace {
  readonly json?: true;
}

const HELP = `
Works on the store of "parley serve" with the same settings: flags, PARLEY_* variables, parley.json. A node that stopped in
order is gone from the list; one that was not seen for 15 seconds is silent, and forgotten after a day.`;

/** `parley nodes`: for the operator, who can reach the store. */
export function nodesCommand(): Command {
  return addPlaceOptions(
    new Command('nodes').description('list the servers that share a PostgreSQL, and when each was last seen'),
  )
    .option('--json', 'print one JSON object per node')
    .addHelpText('after', HELP)
    .action(async ({ json, ...place }: NodesOptions) => {
      const config = await configOf(place);
      const { nodesOf } = await import('@parley/server/operator/list-nodes');
      const found = await refusalsTold(() => nodesOf(config));
      if ('serverPid' in found) {
        const { serverPid } = found;
        printNote(
          `the store is a file: ${serverPid === undefined ? 'no server uses it' : `one server uses it, with the pid ${serverPid}`}`,
        );
        return;
      }
      const nodes = found.nodes.map(({ id, url, version, state, started_at: started, seen_at: seen }) => ({
        id,
        url,
        version,
        state,
        started: new Date(started).toISOString(),
        seen: new Date(seen).toISOString(),
      }));
      if (json) {
        for (const node of nodes) printJson(node);
        return;
      }
      if (nodes.length === 0) {
        printNote('no server uses this database');
        return;
      }
      (await import('./nodes-view.ts')).showNodes(nodes);
    });
}
