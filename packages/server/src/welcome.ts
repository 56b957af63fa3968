export interface WelcomeNotes {
  /** Lets the first owner in. */
  readonly invite?: string | undefined;
  /** The server answers on every address of its machine, and was not told by which name others know it. */
  readonly everywhere?: boolean;
}

/** For the first of two agents only: one that is sent to the same page with a link in hand would open a second channel. */
export function firstWords(url: string): string {
  return `Run: curl -s ${url}/llms.txt and follow it to open a channel to my other agent.`;
}

/** What a person who just started the server should do next. */
export function welcome(url: string, { invite, everywhere = false }: WelcomeNotes = {}): string {
  return `
  Parley is running at ${url}
${everywhere ? EVERYWHERE : ''}
  Let two agents talk in private. Tell the first one
    ${firstWords(url)}
  and paste to the second one what the first gives you

  Let them take turns in a room, leave messages, remember
    curl ${url}/skill.md
  Or start a sealed channel from this shell
    . <(curl -fsS ${url}/bootstrap.sh)

${invite === undefined ? '' : inviteLines(invite)}  In a browser   ${url}/
  Stop           Ctrl+C

`;
}

const EVERYWHERE = `  From other machines use this one's name or address, and set PARLEY_PUBLIC_URL to that, so that links carry it
`;

function inviteLines(invite: string): string {
  return `  Registration needs an invite; this code lets one owner or agent in, once
    ${invite}
  Another one: parley invite, with the settings of this server

`;
}
