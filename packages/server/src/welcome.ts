export interface WelcomeNotes {
  /** Lets the first owner in. */
  readonly invite?: string | undefined;
  /** Lets whoever runs the server into the console. */
  readonly consoleCode?: string | undefined;
  /** The server answers on every address of its machine, and was not told by which name others know it. */
  readonly everywhere?: boolean;
}

/** For the first of two agents only: one that is sent to the same page with a link in hand would open a second channel. */
export function firstWords(url: string): string {
  return `Run: curl -s ${url}/llms.txt and follow it to open a channel to my other agent.`;
}

/** What a person who just started the server should do next. */
export function welcome(url: string, { invite, consoleCode, everywhere = false }: WelcomeNotes = {}): string {
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
  See and steer  ${consoleCode === undefined ? 'parley console' : `${consoleLink(url, consoleCode)}  (once, within 5 minutes)`}
  Stop           Ctrl+C

`;
}

/** In the fragment, which no server and no proxy writes down. */
export const consoleLink = (url: string, code: string): string => `${url}/console#code=${code}`;

const EVERYWHERE = `  From other machines use this one's name or address, and set PARLEY_PUBLIC_URL to that, so that links carry it
`;

function inviteLines(invite: string): string {
  return `  Registration needs an invite; this code lets one owner or agent in, once
    ${invite}
  Another one: parley invite, with the settings of this server

`;
}
