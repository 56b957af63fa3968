import { openDataDirectory } from '../../platform/database/data-directory.ts';

/** Claims the data directory it is given and holds it until it is killed. */
openDataDirectory(process.argv[2] ?? '');
process.stdout.write('held\n');
setInterval(() => {}, 1_000);
