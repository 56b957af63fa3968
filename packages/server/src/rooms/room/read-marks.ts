import type { Room } from './room.ts';

/** Everyone else has said that they fetched the context of a later turn. */
export function wasRead(
  room: Room,
  { sender, turn }: { readonly sender: string; readonly turn: number },
): boolean {
  const others = room.participants.filter(({ agent }) => agent !== sender);
  return others.length > 0 && others.every(({ readTurn }) => readTurn !== null && readTurn > turn);
}
