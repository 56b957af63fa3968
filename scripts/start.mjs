// `npm start`: builds what changed, then serves in this very process, so that signals reach the server.
import { build } from './build.mjs';

await build({ quiet: true });
const { serve } = await import('@parley/server/main');
process.exitCode = await serve(process.argv.slice(2));
