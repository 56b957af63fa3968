import { exportMemory } from '../../continuity/git/export.ts';
import { GitProgram } from '../../continuity/git/git-program.ts';
import { systemClock } from '../../platform/clock.ts';
import { type DatabaseLocation, openDatabase } from '../../platform/database/open-database.ts';

/** Exports the memory of `owner`. Arguments: location as JSON, folder, git program, commits between checkpoints. */
const [location = '', directory = '', program = 'git', every = '100'] = process.argv.slice(2);
const database = await openDatabase(JSON.parse(location) as DatabaseLocation);
const { commits } = await exportMemory({
  database,
  git: new GitProgram({ program, clock: systemClock }),
  owner: { id: 'owner', slug: 'max' },
  directory,
  checkpointEvery: Number(every),
});
await database.close();
process.stdout.write(`commits ${commits}\n`);
