// `npm start`: builds what changed, then serves in this very process, so that signals reach the server.
import { requireNode } from './node-version.mjs';

requireNode();
// Imported only now, since an old Node cannot read what they need.
const { build, BuildError } = await import('./build.mjs');
try {
  await build({ quiet: true });
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(`parley: ${error.message}`);
  process.exit(1);
}
await import('./serve.mjs');
