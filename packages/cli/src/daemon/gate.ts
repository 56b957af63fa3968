import type { AgentConfig } from './daemon-config.ts';
import type { WakeItem } from './wake-item.ts';

const HOUR_MS = 3_600_000;

/**
 * Who may start a program on this machine is decided here, not by the server: whoever can send a message could otherwise
 * have programs run, and money spent, on a machine of somebody else.
 */
export function mayStart({ allow }: Pick<AgentConfig, 'allow'>, ownOwner: string, item: WakeItem): boolean {
  if (allow.includes('*')) return true;
  if (item.type === 'room.turn_ready') return allow.includes('rooms');
  // A cue is the owner's own, and agents of other owners have no handoffs for this one.
  if (item.type === 'cue.wake' || item.type === 'handoff.wake') return allow.includes('same-owner');
  // Exactly one of each: nobody is of our owner by writing its name somewhere in between.
  const owner = /^[^@\s]+@([^@\s]+)$/.exec(item.from)?.[1];
  if (owner === undefined) return false;
  if (owner === ownOwner && allow.includes('same-owner')) return true;
  return allow.includes(item.from) || allow.includes(`*@${owner}`);
}

/** When the next start is within the budget; not after `now` when it is now. */
export function nextStart(starts: readonly string[], perHour: number, now: number): number {
  const recent = starts.map((at) => Date.parse(at)).filter((at) => at > now - HOUR_MS);
  if (recent.length < perHour) return now;
  const oldest = recent.toSorted((one, other) => one - other)[recent.length - perHour] ?? now;
  return oldest + HOUR_MS;
}
