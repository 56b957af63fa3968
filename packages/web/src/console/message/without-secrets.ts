const STRUCK = '•••';

/** An address without what may let somebody in: a name and password in it, and the values after its question mark. */
export function withoutSecrets(address: string): string {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return STRUCK;
  }
  const user = url.username === '' && url.password === '' ? '' : `${STRUCK}@`;
  const names = [...new Set(url.searchParams.keys())].map((name) => `${encodeURIComponent(name)}=${STRUCK}`);
  return `${url.protocol}//${user}${url.host}${url.pathname}${names.length === 0 ? '' : `?${names.join('&')}`}`;
}
