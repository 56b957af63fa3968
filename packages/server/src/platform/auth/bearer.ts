/** The credential of an `Authorization: Bearer …` header, or undefined when the header is absent or of another kind. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
}

/** The token alphabet of RFC 6750; what lies outside it can be no key of ours. */
const BEARER = /^ *bearer +([A-Za-z0-9._~+/-]+=*) *$/i;
