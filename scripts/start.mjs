// `npm start`: builds what changed, then serves in this very process, so that signals reach the server.
import { requireNode } from './node-version.mjs';

requireNode();
// Imported only now, since an old Node cannot read what they need.
const { build } = await import('./build.mjs');
await build({ quiet: true });
await import('./serve.mjs');
