/**
 * Which way an import may point. `npm run check` runs it over all sources; cycles, unused exports and long files
 * are found by oxlint (`.oxlintrc.json`) and knip (`knip.json`).
 *
 * Tests and what they stand on (`testing/`) may import anything; nothing else may import them.
 */

/** The server from the ground up: a file may import from its own room and from those on lower floors. */
const FLOORS = [
  ['platform/'],
  ['config/'],
  ['wire/'],
  ['platform.ts'],
  ['identity/'],
  ['delivery/'],
  ['channels/', 'continuity/', 'rooms/'],
  ['coordination/', 'knowledge/', 'schedule/'],
  ['mcp/'],
  ['discovery/'],
  ['console/'],
  [''], // context.ts, app.ts, main.ts and what else stands at the root
];

/** Packages each package may import; those in `lazily` only as types or where they are needed. */
const PACKAGES = {
  protocol: { may: [] },
  sdk: { may: ['protocol'] },
  web: { may: ['protocol', 'sdk'] },
  server: { may: ['protocol'] },
  cli: { may: ['protocol', 'sdk'], lazily: ['server'] },
};

/** `importer imported`, each with the reason beside it. */
const EXCEPTIONS = new Map([
  // A command on the host finds the owner it was named on a store for which no service runs.
  [
    'packages/server/src/operator-store.ts packages/server/src/identity/owners/owner-store.ts',
    'no service runs',
  ],
]);

const SOURCE = /^packages\/(?<name>[a-z]+)\/src\/(?<path>.+)$/;
const FOR_TESTS = /\.test\.ts$|\/testing\//;
const MIGRATIONS = /\/migrations\.ts$/;
const PRIVATE = /-(?:store|tables?|rows?)\.ts$|\/tables\/|\/tables\.ts$|\/migrations\.ts$/;

/**
 * What is wrong with one import, or undefined. `from` and `to` are paths below the root of the repository,
 * `to` may be the name of a package instead.
 */
export function wrongWay({ from, to, lazy }) {
  if (FOR_TESTS.test(from) || EXCEPTIONS.has(`${from} ${to}`)) return undefined;
  if (FOR_TESTS.test(to)) return 'a source imports what is for tests';
  const importer = SOURCE.exec(from)?.groups;
  if (!importer) return undefined;
  const imported = /^@parley\/(?<name>[a-z]+)/.exec(to)?.groups ?? SOURCE.exec(to)?.groups;
  if (!imported) return undefined;
  const ofServer = importer.name === 'server';
  if (imported.name === importer.name) return ofServer ? wrongFloor(importer.path, imported.path) : undefined;
  return (
    wrongPackage(importer.name, imported.name, lazy) ??
    (ofServer ? wrongProtocol(importer.path, to) : undefined)
  );
}

const MODULE = /^@parley\/protocol\/(?<module>[a-z]+)\//;

/** The platform gets from those above what they say on the wire: a prefix, a limit. */
function wrongProtocol(importer, to) {
  const module = `${MODULE.exec(to)?.groups.module ?? ''}/`;
  if (roomOf(importer).room !== 'platform/' || floorOf(module) < 0) return undefined;
  return `platform/ may not know the protocol of ${module}`;
}

function wrongPackage(from, to, lazy) {
  const { may, lazily = [] } = PACKAGES[from];
  if (may.includes(to) || (lazy && lazily.includes(to))) return undefined;
  return lazily.includes(to) ? `${from} loads ${to} at its start` : `${from} may not know ${to}`;
}

function wrongFloor(from, to) {
  const [importer, imported] = [roomOf(from), roomOf(to)];
  if (importer.room === imported.room) return undefined;
  if (imported.floor >= importer.floor) return `${importer.room} may not know ${imported.room || to}`;
  const isModule = imported.floor > floorOf('platform.ts');
  // The root runs the migrations of all modules, and knows no more of what they store than they do of each other.
  const isRun = importer.room === '' && MIGRATIONS.test(to);
  if (isModule && PRIVATE.test(to) && !isRun) return `what ${imported.room} stores is its own`;
  return undefined;
}

const floorOf = (room) => FLOORS.findIndex((rooms) => rooms.includes(room));

function roomOf(path) {
  const room =
    FLOORS.flat().find((name) => (name.endsWith('/') ? path.startsWith(name) : path === name)) ?? '';
  return { room, floor: floorOf(room) };
}
