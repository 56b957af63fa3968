import { lookup } from 'node:dns/promises';

/** All addresses of a name, or a rejection when there are none. */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

/** As the operating system resolves, so that what is checked is what any other program would reach. */
export const systemResolver: Resolver = async (hostname) => {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
};
