import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { Entry } from './timeline.ts';
import type { WatchedRoom } from './watched-room.ts';

/** The whole room as this page has it, for reading. */
export function roomAsMarkdown(room: WatchedRoom): string {
  const { topic, createdAt, closedAt } = room.now;
  const closed = closedAt === 0 ? '' : `, closed ${isoSeconds(closedAt)}`;
  const parts = [
    `# ${topic.replace(/\s+/g, ' ')}`,
    `Room ${room.id}, opened ${isoSeconds(createdAt)}${closed}`,
  ];
  for (const entry of inOrder(room)) parts.push(inMarkdown(entry, room));
  return `${parts.join('\n\n')}\n`;
}

/** The same for programs. */
export function roomAsJson(room: WatchedRoom): string {
  const { topic, phase, agents, maxTurns, createdAt, closedAt, closeReason } = room.now;
  const messages = inOrder(room).flatMap((entry) => {
    if (entry.kind === 'line') return [];
    const { turn, agentId, text } = entry.message;
    return [{ turn, agent_id: agentId, agent: room.nameOf(agentId), text, at: isoSeconds(entry.at) }];
  });
  const copy = {
    room_id: room.id,
    topic,
    state: phase,
    max_turns: maxTurns,
    created_at: isoSeconds(createdAt),
    closed_at: closedAt === 0 ? null : isoSeconds(closedAt),
    close_reason: closeReason === '' ? null : closeReason,
    agents: agents.map(({ id, joinedAt }) => ({
      agent_id: id,
      name: room.nameOf(id),
      joined_at: isoSeconds(joinedAt),
    })),
    messages,
  };
  return `${JSON.stringify(copy, null, 2)}\n`;
}

function inMarkdown(entry: Entry, room: WatchedRoom): string {
  if (entry.kind === 'line') return `*${entry.text}, ${isoSeconds(entry.at)}*`;
  const { turn, agentId, text } = entry.message;
  return `## ${turn + 1}. ${room.nameOf(agentId)}, ${isoSeconds(entry.at)}\n\n${text}`;
}

function inOrder({ entries }: WatchedRoom): Entry[] {
  const sorted = [...entries];
  sorted.sort((one, other) => one.at - other.at);
  return sorted;
}
