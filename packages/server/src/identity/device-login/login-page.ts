import { escapeHtml, filledPage, type HtmlPage } from '../../wire/html-page.ts';

const ACTION = '/v1/auth/verify';

/** Pages of the browser login: plain forms, no script. No page may frame them: a click on "Approve" gives a key away. */
const page = (title: string, content: string): HtmlPage =>
  filledPage('login', { TITLE: title, CONTENT: { markup: content } });

const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;

export const askForEmail = (deviceCode: string): HtmlPage =>
  page(
    'Log in on a command line',
    `<p>A program with the code <code>${escapeHtml(deviceCode)}</code> asks to log in. Go on only if you started it.</p>
<form method="post" action="${ACTION}">${hidden('device_code', deviceCode)}
<label for="email">Your email address</label>
<div class="row"><input id="email" name="email" type="email" required maxlength="254" autocomplete="email" autofocus>
<button class="button">Ask for the link</button></div></form>`,
  );

export const linkIsOnItsWay = (): HtmlPage =>
  page(
    'Look for the link',
    `<p>This server sends no mail: whoever runs it sees the link in its output and hands it to you. Open it within 15 minutes.</p>
<p class="soft">You can close this page.</p>`,
  );

const INVITE = `<label for="invite">Invite code, if you have no account yet</label>
<div class="row"><input id="invite" name="invite" maxlength="64" autocomplete="off" spellcheck="false"></div>`;

export interface Approval {
  readonly token: string;
  readonly code: string | undefined;
  readonly email: string;
  readonly byInvite: boolean;
}

/** Anyone can have a link sent to anyone. The code is what its reader can compare with the one on the own command line. */
export const askForApproval = ({ token, code, email, byInvite }: Approval): HtmlPage =>
  page(
    'Approve this login?',
    `<p>The program ${code === undefined ? 'that asked' : `with the code <code>${escapeHtml(code)}</code>`} gets a key to
the whole account of ${escapeHtml(email)}. Approve only if you started it just now and it shows the same code.</p>
<form method="post" action="${ACTION}">${hidden('token', token)}${byInvite ? INVITE : ''}
<div class="row"><button class="button">Approve</button></div></form>`,
  );

export const approved = (email: string): HtmlPage =>
  page('Approved', `<p>The command line is logged in as ${escapeHtml(email)}. You can close this page.</p>`);

export const notPossible = (why: string): HtmlPage =>
  page(
    'This did not work',
    `<p>${escapeHtml(why)}</p><p class="soft">Nothing was lost. Begin again on the command line.</p>`,
  );
