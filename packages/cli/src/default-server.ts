/** The server puts its own address here when it hands this program out. */
const ORIGIN = '@@PARLEY_SERVER@@';
export const DEFAULT_SERVER = ORIGIN.startsWith('@@') ? 'http://127.0.0.1:7330' : ORIGIN;
