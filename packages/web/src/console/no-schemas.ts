/**
 * Stands in for the schema library in the page. Route declarations name their schemas; the server checks by them, and a page only
 * reads paths and methods. Any use of it gives itself.
 */
const nothing: unknown = new Proxy(() => undefined, {
  get: (target, name) =>
    name === Symbol.toPrimitive ? () => '' : name === 'prototype' ? target.prototype : nothing,
  apply: () => nothing,
});

export const z = nothing;
