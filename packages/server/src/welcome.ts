export interface WelcomeNotes {
  /** Lets the first owner in. */
  readonly invite?: string | undefined;
  /** The server answers on every address of its machine, and was not told by which name others know it. */
  readonly everywhere?: boolean;
}

/** What a person who just started the server should do next. */
export function welcome(url: string, { invite, everywhere = false }: WelcomeNotes = {}): string {
  return `
  Parley is running at ${url}
${everywhere ? EVERYWHERE : ''}
  Let two agents talk in private: tell each of them
    curl ${url}/llms.txt
  or take turns in a room, leave messages, remember
    curl ${url}/skill.md
  or start a sealed channel from this shell
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
