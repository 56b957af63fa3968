/** Where a redis_url leads, and how. */
export interface RedisPlace {
  readonly kind: 'single' | 'sentinel' | 'cluster';
  readonly hosts: readonly { host: string; port: number }[];
  readonly tls: boolean;
  /** A file with the certificates to believe, beside those of the system. */
  readonly authority: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number | undefined;
  /** What sentinels call it. */
  readonly master: string;
}

export class RedisUrlError extends Error {
  override readonly name = 'RedisUrlError';
  constructor(why: string) {
    super(
      `redis_url ${why}: expected redis://host:port, rediss://host:port, redis+sentinel://host:port,host:port/master ` +
        'or redis+cluster://host:port,host:port',
    );
  }
}

const PROTOCOLS: ReadonlyMap<string, { kind: RedisPlace['kind']; tls: boolean; port: number }> = new Map([
  ['redis', { kind: 'single', tls: false, port: 6379 }],
  ['rediss', { kind: 'single', tls: true, port: 6379 }],
  ['redis+sentinel', { kind: 'sentinel', tls: false, port: 26_379 }],
  ['rediss+sentinel', { kind: 'sentinel', tls: true, port: 26_379 }],
  ['redis+cluster', { kind: 'cluster', tls: false, port: 6379 }],
  ['rediss+cluster', { kind: 'cluster', tls: true, port: 6379 }],
]);

/** Several hosts stand in one URL, which no parser of URLs takes. */
const SHAPE = /^([a-z+]+):\/\/(?:([^@/]*)@)?([^@/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;

const HIGHEST_PORT = 65_535;

export function parseRedisUrl(url: string): RedisPlace {
  const [, name = '', login = '', places = '', path = '', query = ''] = SHAPE.exec(url) ?? [];
  const protocol = PROTOCOLS.get(name);
  if (!protocol) throw new RedisUrlError(`begins with "${name.slice(0, 20)}"`);
  // It would be told as something else below, and shown.
  if (`${path}${query}`.includes('@')) throw unencoded();
  const { kind, tls } = protocol;
  const [, user = '', password = ''] = /^(?:([^:]*):)?(.*)$/s.exec(login) ?? [];
  const hosts = places.split(',').map((place) => hostOf(place, protocol.port));
  const asked = new URLSearchParams(query);
  const unknown = [...asked.keys()].find((key) => key !== 'ca');
  if (unknown !== undefined)
    throw new RedisUrlError(`asks for "${unknown.slice(0, 20)}", and may for "ca" alone`);
  const authority = asked.get('ca') ?? undefined;
  if (authority !== undefined && !tls)
    throw new RedisUrlError('names a "ca" and begins without TLS (rediss)');
  const [master = '', database = ''] = kind === 'sentinel' ? path.split('/') : ['', path];
  if (kind === 'sentinel' && master === '') throw new RedisUrlError('names no master');
  if (!/^\d*$/.test(database)) throw new RedisUrlError(`has the database "${database.slice(0, 20)}"`);
  if (kind === 'cluster' && Number(database) > 0) throw new RedisUrlError('names a database');
  return {
    kind,
    hosts,
    tls,
    authority,
    master,
    username: decoded(user),
    password: decoded(password),
    database: database === '' ? undefined : Number(database),
  };
}

function hostOf(place: string, fallback: number): { host: string; port: number } {
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(place) ?? [];
  const host = bracketed ?? plain;
  if (host === '') throw new RedisUrlError(`has the host "${place.slice(0, 40)}"`);
  if (Number(port) > HIGHEST_PORT) throw new RedisUrlError(`has the port ${port?.slice(0, 20)}`);
  return { host, port: port === undefined ? fallback : Number(port) };
}

function decoded(text: string): string | undefined {
  try {
    return text === '' ? undefined : decodeURIComponent(text);
  } catch {
    throw unencoded();
  }
}

const unencoded = (): RedisUrlError =>
  new RedisUrlError('has a user or a password that is not percent-encoded');
