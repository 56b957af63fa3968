import { createHash } from 'node:crypto';
import type { HtmlPage } from '../../platform/http/html-page.ts';
import { escapeHtml } from '../../platform/http/html-page.ts';

/** Pages of the browser login: plain forms, no script. */
const STYLE = `
:root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif; }
body { margin: 12vh auto; max-width: 26rem; padding: 0 1.25rem; }
h1 { font-size: 1.35rem; }
input, button { font: inherit; width: 100%; box-sizing: border-box; padding: .6rem .75rem; margin-top: .5rem;
  border: 1px solid #8886; border-radius: .4rem; }
button { background: #17744a; color: #fff; border: 0; cursor: pointer; }
`;

/** No page may frame it: a click on "Approve" gives a key away. */
const CSP = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ACTION = '/v1/auth/verify';

const page = (title: string, content: string): HtmlPage => ({
  csp: CSP,
  html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>${title} · Parley</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1>${content}</main></body></html>`,
});

const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;

export const askForEmail = (deviceCode: string): HtmlPage =>
  page(
    'Log in on a command line',
    `<p>A program with the code <code>${escapeHtml(deviceCode)}</code> asks to log in. Go on only if you started it.</p>
<form method="post" action="${ACTION}">${hidden('device_code', deviceCode)}
<label>Your email address <input name="email" type="email" required maxlength="254" autocomplete="email"></label>
<button>Send me the link</button></form>`,
  );

export const linkIsOnItsWay = (): HtmlPage =>
  page('Look for the link', '<p>Open it within 15 minutes. You can close this page.</p>');

const INVITE = `<label>Invite code, if you have no account yet <input name="invite" maxlength="64"></label>`;

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
<button>Approve</button></form>`,
  );

export const approved = (email: string): HtmlPage =>
  page('Approved', `<p>The command line is logged in as ${escapeHtml(email)}. You can close this page.</p>`);

export const notPossible = (why: string): HtmlPage =>
  page('This did not work', `<p>${escapeHtml(why)}</p><p>Begin again on the command line.</p>`);
