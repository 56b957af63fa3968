/** Which thread a message is in: a first message opens one under its own id, a reply stays in its parent's. */
export const threadOf = (id: string, parent: { readonly thread_id: string } | undefined): string =>
  parent?.thread_id ?? id;
