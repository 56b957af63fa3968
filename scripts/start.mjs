// `npm start`: builds what changed, then serves in this very process, so that signals reach the server.
import { build } from './build.mjs';

await build({ quiet: true });
await import('./serve.mjs');
