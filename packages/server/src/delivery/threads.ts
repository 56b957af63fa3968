/** Which thread a message is in: a first message opens one under its own id, a reply stays in its parent's. */
export function threadOf(
  message: { readonly id: string },
  parent: { readonly threadId: string } | undefined,
): string {
  return parent?.threadId ?? message.id;
}

/** Replies to a message go where it asked for them, else to its sender. */
export function replyTarget(message: {
  readonly from: string;
  readonly replyToAgent: string | null;
}): string {
  return message.replyToAgent ?? message.from;
}

/** Only who sent or got a message may reply to it, so that threads cannot be joined blindly. */
export function maySee(
  message: { readonly senderOwner: string; readonly recipientOwner: string },
  ownerId: string,
): boolean {
  return message.senderOwner === ownerId || message.recipientOwner === ownerId;
}
