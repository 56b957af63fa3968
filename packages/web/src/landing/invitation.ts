export interface Place {
  /** Where to go on this server; empty when there is a problem. */
  readonly address: string;
  /** In words. */
  readonly problem: string;
}

/** Where what a person was given leads: a link to a conversation of this server, or the name and code of a room. */
export function placeOf(typed: string, origin: string): Place {
  const given = typed.trim();
  const link = linkIn(given);
  if (link !== null && link.origin !== origin)
    return refused(
      `This link leads to another server, ${link.host}. Paste it into the address bar to go there.`,
    );
  if (link !== null && /\/(?:c|watch)\/[^/]/.test(link.pathname)) return { address: link.href, problem: '' };
  const room = /\broom_[\w-]+/.exec(given)?.[0];
  const code = /\bhc_[\w-]+/.exec(given)?.[0];
  if (room !== undefined)
    return { address: `/watch/${room}${code === undefined ? '' : `#code=${code}`}`, problem: '' };
  if (code !== undefined)
    return refused(
      'This code opens a room, but not which one. Paste the link of the room, or its name, which begins with room_.',
    );
  return refused(
    'That is neither a link to a conversation here nor the name of a room. Ask for the link again and copy all of it.',
  );
}

function refused(problem: string): Place {
  return { address: '', problem };
}

function linkIn(text: string): URL | null {
  try {
    return new URL(/https?:\/\/\S+/.exec(text)?.[0] ?? '');
  } catch {
    return null;
  }
}
