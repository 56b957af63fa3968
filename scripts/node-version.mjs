// Read by the oldest Node that knows modules: nothing newer may stand here or in what imports it statically.
const OLDEST = [20, 19];

/** Says in one sentence that this Node is too old, and ends; a newer one would otherwise be asked for by a stack. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  console.error(
    'parley: this is Node ' +
      process.versions.node +
      ', and Parley needs Node ' +
      OLDEST.join('.') +
      ' or later (24 recommended): install it from https://nodejs.org or with your version manager, then run npm ci again',
  );
  process.exit(1);
}
