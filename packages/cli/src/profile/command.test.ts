import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { People } from '@parley/server/identity/testing/people';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runHere } from '../testing/run-here.ts';
import { tagged } from '../testing/tagged.ts';

describe('who we are: what login, whoami, profile, status and logout print', () => {
  let server: TestServer;
  let people: People;
  let home: string;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    people = new People(server);
  });
  afterAll(() => server.close());
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'parley-who-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /** In a pipe, or on a terminal. Ids, keys and the place of things have names here. */
  async function printed(words: string, { input = '', terminal = false } = {}): Promise<string> {
    const env = { PARLEY_URL: server.url, HOME: home, TERM: 'xterm' };
    const { code, stdout, stderr } = await runHere(words.split(' '), input, env, terminal ? 200 : undefined);
    const known = tagged(`${code}\n${stdout}${stderr}`)
      .replaceAll(server.url, 'SERVER')
      .replaceAll(home, 'HOME');
    return known
      .replaceAll(/\b(agt|agent)_[a-z0-9]{12}\b/g, '$1_~')
      .replaceAll(/\bkey \S+…/g, 'key KEY…')
      .replaceAll(/\b20\d\d-\S+Z/g, 'TIME')
      .replaceAll(/Parley \d\S+/g, 'Parley VERSION');
  }

  test('an owner, an agent, and nobody', async () => {
    expect(await printed('status')).toBe(
      '0\nServer\tSERVER, Parley VERSION\nWho\tnobody: not logged in\nNext\tparley login\n',
    );
    expect(await printed('profile list')).toBe(
      '0\nparley: Nothing is kept. "parley login" or "parley agent register" begins.\n',
    );
    expect(await printed('agent whoami')).toMatch(
      /^4\nparley: no key for SERVER\nparley: "parley login" or /,
    );
    expect(await printed('agent login --profile ann')).toMatch(/^3\nparley: there is no profile ann\n/);
    expect(await printed('logout')).toMatch(
      /^4\nparley: nobody is logged in to SERVER\nparley: "parley login" /,
    );

    const { key, slug } = await people.owner();
    expect(await printed('login --stdin', { input: key })).toBe(
      `0\nLogged in to SERVER as owner ${slug}\nIts key is kept as profile ${slug} in HOME/.config/parley/credentials.json\n`,
    );
    expect(await printed('agent whoami')).toMatch(new RegExp(`^0\\nowner ${slug}\\nby key KEY…\\nscopes `));
    expect(await printed('whoami', { terminal: true })).toMatch(
      new RegExp(
        `^0\\n<bold>owner ${slug}</>\\n<dim>  By      </>key KEY…\\n<dim>  Server  </>SERVER\\n<dim>  Scopes  </>\\S+ `,
      ),
    );
    expect(await printed('status', { terminal: true })).toBe(`0
<dim>  Server     </>SERVER, Parley VERSION
<dim>  Who        </>owner ${slug}
<dim>  Unread     </>0
<dim>  Our turn   </>in no room
<dim>  Handoffs   </>0 to decide on
<dim>  Reminders  </>0 due
<dim>  Next       </><bold>parley send AGENT 'hello'</>
`);
    expect(await printed('inbox')).toBe('0\nparley: No messages.\n');
    expect(await printed('sent')).toBe('0\nparley: Nothing was sent.\n');
    expect(await printed('inbox --follow')).toBe(
      '3\nparley: the owner has no agent yet that messages could come to\n' +
        'parley: "parley agent create" makes one; what the owner sends first makes one, too\n',
    );
    expect(await printed('logout')).toBe(`0\nLogged out ${slug} of SERVER; its key is forgotten here\n`);
  });

  test('several at one server', async () => {
    expect(await printed('agent register Harbour--Bot!')).toBe(
      '0\nRegistered agt_~ at SERVER\nIts API key is in HOME/.config/parley/credentials.json\n',
    );
    expect(await printed('agent register Other')).toMatch(
      /^5\nparley: there is already a key of agt_~ for SERVER\nparley: --replace makes a new agent /,
    );
    expect(await printed('agent register ++ --profile night --json')).toMatch(
      /^0\n\{"agent_id":"agt_~","server":"SERVER","credentials_file":"HOME\/\.config\/parley\/credentials\.json"\}\n$/,
    );
    expect(await printed('agent register ** --replace')).toMatch(/^0\nRegistered/);
    expect(await printed('profile list', { terminal: true })).toBe(`0
<bold>   </><bold>PROFILE      </><bold>AGENT             </><bold>SERVER</>
   harbour-bot  agt_~  SERVER
   night        agt_~  SERVER
*  <bold>agent        </>agt_~  SERVER
`);
    expect(await printed('profile use night')).toBe('0\nFrom now on night at SERVER\n');
    expect(await printed('profile use eve')).toBe(
      '3\nparley: there is no profile eve\nparley: there is harbour-bot, night, agent\n',
    );
    expect(await printed('profile list')).toBe(
      '0\n\tharbour-bot\tagt_~\tSERVER\n*\tnight\tagt_~\tSERVER\n\tagent\tagt_~\tSERVER\n',
    );
    expect(await printed('agent login')).toBe('0\nLogged in to SERVER as agt_~ until TIME\n');
    expect(await printed('agent whoami')).toMatch(
      /^0\n\S+@\S+ {2}agent_~ {2}\+\+\nby session until TIME\nscopes /,
    );
    expect(await printed('whoami')).toMatch(/^0\n\S+@\S+ \(agent_~\)\n {2}By {6}session until TIME\n/);
    expect(await printed('whoami --profile night --server http://127.0.0.1:9')).toBe(
      '2\nparley: profile night is of SERVER\nparley: leave --server out, or name a profile of that server\n',
    );
    expect(await printed('logout --profile night')).toBe(
      '0\nLogged out night of SERVER; its key is forgotten here\n',
    );
    expect(await printed('profile remove agent --json')).toBe('0\n{"profile":"agent","removed":true}\n');
    expect(await printed('profile list --json')).toBe(
      '0\n{"name":"harbour-bot","server":"SERVER","agent_id":"agt_~","in_use":false}\n',
    );
  });
});
