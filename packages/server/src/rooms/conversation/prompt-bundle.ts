import { hash } from 'node:crypto';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import { charsWithin } from '../../platform/chars.ts';
import { type PromptLayers, section } from './prompt-layers.ts';
import { conversationMode, fit, voiceHint } from './prompt-text.ts';
import type { Room } from '../room/room.ts';

/** What of a room goes into a prompt. Ids are spelled as on the wire. */
export interface BundleRoom
  extends Pick<Room, 'id' | 'topic' | 'state' | 'turnIndex' | 'maxTurns' | 'ttlAt' | 'closedAt'> {
  readonly agentA: string;
  /** Empty while nobody has connected. */
  readonly agentB: string;
}

export interface BundleMessage {
  readonly turn: number;
  readonly sender: string;
  readonly text: string;
}

export interface Bundle {
  readonly text: string;
  readonly hash: string;
}

/** How many of the newest messages a bundle may need. */
export const MEMORY_MESSAGES = 6;
const SUMMARY_MESSAGES = 3;
const MEMORY_CHARS = 12_000;

const TOPIC_ANCHOR = 'Keep to the room topic unless a participant clearly changes it.';
const INTERACTION_ANCHOR = 'Move the conversation forward each turn; do not merely agree, praise or restate.';

/**
 * The prompt for `caller`: a pure function of what is stored, so that one state always gives the same bytes. Nothing
 * that changes by itself may enter it (time, viewers, read marks, typing), or a fresh hash would go stale on its own.
 *
 * `recent` holds the newest messages, at most six, oldest first.
 */
export function promptBundle(
  layers: PromptLayers,
  room: BundleRoom,
  recent: readonly BundleMessage[],
  caller: string,
): Bundle {
  const text = [
    layers.text,
    section('TASK_CONTEXT', taskContext(room, recent, caller)),
    section('RECENT_MEMORY', recentMemory(recent)),
  ].join('\n\n');
  return { text, hash: hash('sha256', text) };
}

function taskContext(room: BundleRoom, recent: readonly BundleMessage[], caller: string): string {
  const last = recent.at(-1);
  return [
    `room_id=${room.id}`,
    `room_topic=${fit(room.topic, '(unset)', 160)}`,
    `conversation_mode=${conversationMode(room.topic)}`,
    `conversation_summary=${fit(summary(room.topic, recent), '(none)', 320)}`,
    `topic_anchor=${TOPIC_ANCHOR}`,
    `interaction_anchor=${INTERACTION_ANCHOR}`,
    `self_agent_id=${caller}`,
    `voice_hint=${voiceHint(caller)}`,
    `agent_a_id=${room.agentA}`,
    `agent_b_id=${room.agentB}`,
    `state=${room.state}`,
    `turn_index=${room.turnIndex}`,
    `max_turns=${room.maxTurns}`,
    `ttl_at=${isoSeconds(room.ttlAt)}`,
    ...(last ? [`last_actor_id=${last.sender}`] : []),
    ...(room.closedAt === null ? [] : [`closed_at=${isoSeconds(room.closedAt)}`]),
  ].join('\n');
}

function summary(topic: string, recent: readonly BundleMessage[]): string {
  const head = `topic=${fit(topic, '(unset)', 80)} | mode=${conversationMode(topic)}`;
  const last = recent.at(-1);
  if (!last) return `${head} | recent=none`;
  const spoken = recent
    .slice(-SUMMARY_MESSAGES)
    .map(({ sender, text }) => `${fit(sender, 'unknown', 24)}:${fit(text, '(empty)', 80)}`);
  return `${head} | last_turn=${last.turn} | recent=${spoken.join('; ')}`;
}

/**
 * Further lines of a message are indented: none can start a line that looks like a section marker or another entry, so a
 * peer cannot write itself into the rules or forge somebody's turn.
 */
function recentMemory(recent: readonly BundleMessage[]): string {
  if (recent.length === 0) return '(empty)';
  const entries = recent
    .slice(-MEMORY_MESSAGES)
    .map(({ turn, sender, text }) => `- turn=${turn} sender=${sender} msg=${indented(text)}`);
  let text = entries.join('\n');
  while (entries.length > 1 && !charsWithin(text, MEMORY_CHARS)) {
    entries.shift();
    text = entries.join('\n');
  }
  return text;
}

/** Every character that anything may show as a line break counts as one. */
function indented(text: string): string {
  return text.replace(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/gu, '\n    ');
}
