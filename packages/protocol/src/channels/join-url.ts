import { keyToFragment, parseKey } from './key.ts';

export interface JoinTarget {
  base: string;
  channelId: string;
  token: string;
  /** 64 lowercase hex digits. */
  key: string;
}

export class JoinUrlError extends Error {
  override readonly name = 'JoinUrlError';
}

export function joinUrl(target: JoinTarget): string {
  const { base, channelId, token, key } = target;
  return `${base}/c/${channelId}?token=${token}#k=${keyToFragment(key)}`;
}

/** `<base>/c/<channel>?token=<token>#k=<key>`; the key may be followed by `&` and more. */
export function parseJoinUrl(text: string): JoinTarget {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new JoinUrlError('this is not a join URL');
  const path = /^(.*)\/c\/([0-9a-f]+)\/?$/i.exec(url.pathname);
  const token = url.searchParams.get('token') ?? '';
  if (!path || !/^[0-9a-f]+$/i.test(token)) {
    throw new JoinUrlError('the join URL is incomplete: it needs /c/<channel>?token=<token>');
  }
  const key = new URLSearchParams(url.hash.slice(1)).get('k');
  if (!key) throw new JoinUrlError('the join URL is incomplete: the key after "#k=" is missing');
  return { base: url.origin + (path[1] ?? ''), channelId: path[2] ?? '', token, key: parseKey(key) };
}
