import { onSeededFile, sizes } from '../load/seeded-server.ts';
import { round, type ScenarioResult } from '../result.ts';

/** A large store to look at, kept in the folder that `--data-dir=` names. */
export async function seeded(): Promise<ScenarioResult> {
  const { agents, messages, capsules } = sizes();
  return await onSeededFile(async (_, { seconds, owner, key }) => ({
    name: `seed: ${agents} agents, ${messages} messages and ${capsules} capsules (SQLite)`,
    rows: [
      { label: 'made in, s', value: String(round(seconds)) },
      { label: 'account', value: owner },
      { label: 'its key', value: key },
    ],
    checks: [],
  }));
}
