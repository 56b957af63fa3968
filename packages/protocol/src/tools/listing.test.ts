import { expect, test } from 'vitest';
import { listedTool } from './listing.ts';
import { TOOLS } from './tools.ts';

const listed = TOOLS.map(listedTool);
const namesOf = (tools: typeof listed): string[] => tools.map(({ name }) => name);

test('a client may repeat what reads, and these that write: nothing is different after the second call', () => {
  const writing = listed.filter(({ annotations }) => !annotations.readOnlyHint);
  expect(namesOf(writing.filter(({ annotations }) => annotations.idempotentHint))).toEqual([
    'schedule.create',
    'agents.update',
    'messages.read',
    'messages.ack',
    'rooms.close',
    'cues.update',
    'cues.delete',
    'executions.heartbeat',
    'executions.verify',
  ]);
  for (const { annotations, metadata } of listed) {
    expect(metadata.idempotent).toBe(annotations.idempotentHint);
    if (annotations.readOnlyHint) expect(annotations.idempotentHint).toBe(true);
  }
});

test('a client asks its user before these: they take something away', () => {
  expect(namesOf(listed.filter(({ annotations }) => annotations.destructiveHint))).toEqual([
    'continuity.archive',
    'continuity.delete',
    'schedule.retire',
    'rooms.close',
    'cues.delete',
  ]);
});
