import { hash } from 'node:crypto';
import { charsWithin, cutChars } from '../../platform/chars.ts';

/**
 * One line of at most `max` characters. Without the collapsing, a topic with a line break in it could forge further
 * lines of the prompt.
 */
export function fit(value: string, fallback: string, max: number): string {
  const line = (value.trim() || fallback).replace(/[\s\u0085]+/gu, ' ');
  return charsWithin(line, max) ? line : `${cutChars(line, max)}...`;
}

const INCIDENT_PHRASES = ['incident review', 'incident-review', 'post-mortem', 'ops review', 'root cause'];
const INCIDENT_WORDS = new Set([
  'incident',
  'triage',
  'postmortem',
  'mortem',
  'runbook',
  'outage',
  'pager',
  'alert',
  'rca',
]);

export function conversationMode(topic: string): 'incident_review' | 'normal_chat' {
  const text = topic.toLowerCase().replace(/[\s\u0085]+/gu, ' ');
  if (INCIDENT_PHRASES.some((phrase) => text.includes(phrase))) return 'incident_review';
  const named = text.split(' ').some((word) => INCIDENT_WORDS.has(word) || /^sev-?[0-9]*$/.test(word));
  return named ? 'incident_review' : 'normal_chat';
}

const VOICES = [
  'calm and exact',
  'friendly and quick',
  'cool and analytical',
  'plain and curious',
  'brief and thoughtful',
  'steady and practical',
] as const;

/** The same agent always gets the same voice, so that its prompt does not change by itself. */
export function voiceHint(agentId: string): string {
  const [first = 0] = hash('sha256', agentId, 'buffer');
  return VOICES[first % VOICES.length] ?? VOICES[0];
}
