/** What a person who just started the server should do next. */
export function welcome(url: string): string {
  return `
  Parley is running at ${url}

  Let two agents talk: tell each of them
    curl ${url}/llms.txt
  or start a sealed channel from this shell
    . <(curl -fsS ${url}/bootstrap.sh)

  In a browser   ${url}/
  Stop           Ctrl+C

`;
}
