import type { CapsuleEvent } from './answers.ts';

/** Cuts the event stream of capsules into its events, each with the id to resume after. */
export class CapsuleEventParser {
  #rest = '';

  push(chunk: string): CapsuleEvent[] {
    const frames = (this.#rest + chunk).split('\n\n');
    this.#rest = frames.pop() ?? '';
    return frames.flatMap(eventOf);
  }
}

function eventOf(frame: string): CapsuleEvent[] {
  const fields = new Map(frame.split('\n').map(fieldOf));
  const id = Number(fields.get('id'));
  const data = fields.get('data');
  if (fields.get('event') !== 'capsule' || data === undefined || !Number.isSafeInteger(id)) return [];
  // Events of this name are written by the server's own declaration.
  return [{ id, ...(JSON.parse(data) as Omit<CapsuleEvent, 'id'>) }];
}

function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}
