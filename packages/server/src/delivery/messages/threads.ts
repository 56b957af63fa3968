/** Which thread a message is in: a first message opens one under its own id, a reply stays in its parent's. */
export function threadOf(
  message: { readonly id: string },
  parent: { readonly threadId: string } | undefined,
): string {
  return parent?.threadId ?? message.id;
}
