/** Addresses that mean "every address of this machine", and one of them that a client can use. */
const EVERYWHERE: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
]);

export const listensEverywhere = (host: string): boolean => EVERYWHERE.has(host);

/** Where a server that listens there is reached from its own machine. */
export function listeningUrl(host: string, port: number): string {
  const name = EVERYWHERE.get(host) ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${name}:${port}`;
}
