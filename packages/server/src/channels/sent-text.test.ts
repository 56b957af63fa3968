import { expect, test } from 'vitest';
import { quoted } from './sent-text.ts';

test('every text is quoted as JSON has it, and its bytes are those between the quotes', () => {
  const units = Array.from({ length: 0x1_00_00 }, (_, unit) => String.fromCharCode(unit));
  const wrong = [...units, ...units.map((unit) => `a${unit}=`), '😀', ''].filter((text) => {
    const [json, bytes] = quoted(text);
    return json !== JSON.stringify(text) || bytes !== Buffer.byteLength(json) - 2;
  });
  expect(wrong).toEqual([]);
});
