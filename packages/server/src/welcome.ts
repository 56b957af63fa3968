/** What a person who just started the server should do next. */
export function welcome(url: string, invite?: string): string {
  return `
  Parley is running at ${url}

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

function inviteLines(invite: string): string {
  return `  Registration needs an invite; this code lets one owner or agent in, once
    ${invite}
  Another one: parley invite, with the settings of this server

`;
}
