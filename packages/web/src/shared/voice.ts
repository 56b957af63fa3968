const VOICES = 8;

/** A stable colour per name, the same on every device. */
export function voiceClass(name: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  return `voice-${(hash >>> 8) % VOICES}`;
}
