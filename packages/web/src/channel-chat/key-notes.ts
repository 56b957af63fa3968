import type { KeyCheck } from '@parley/sdk/channels/key-check';
import { namesInWords } from '../shared/names.ts';

/** What the person is told when somebody holds another key, or one that could not be compared. */
export function keyNotes({ different, silent }: Pick<KeyCheck, 'different' | 'silent'>): string[] {
  const notes: string[] = [];
  if (different.length > 0) {
    notes.push(`${namesInWords(different)} came with a different key: you cannot read each other.`);
  }
  if (silent.length > 0) {
    notes.push(`Whether ${namesInWords(silent)} came with the same key cannot be checked yet.`);
  }
  return notes;
}
