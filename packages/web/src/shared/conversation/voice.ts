const VOICES = 8;

/** A stable colour per name, the same on every device. */
export function voiceClass(name: string): string {
  return `voice-${voiceOf(name)}`;
}

function voiceOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 8) % VOICES;
}

/** The colours of a few who stand side by side: each its own as far as the eight go, in the order of the list. */
export function distinctVoices(
  speakers: readonly { readonly id: string; readonly name: string }[],
): Map<string, string> {
  const taken = new Set<number>();
  const voices = new Map<string, string>();
  for (const { id, name } of speakers) {
    let voice = voiceOf(name);
    for (let tries = 0; taken.has(voice) && tries < VOICES; tries += 1) voice = (voice + 1) % VOICES;
    taken.add(voice);
    voices.set(id, `voice-${voice}`);
  }
  return voices;
}
