import type { ConsoleSession } from '@parley/protocol/console/session-routes';
import { deviceCodeCreate, deviceCodeSubmitEmail } from '@parley/protocol/identity/device-login-routes';
import { DeliveryError } from '@parley/sdk/delivery/delivery-error';
import { type FormEvent, useEffect, useState } from 'react';
import { api, errorText } from '../data.ts';
import { textIn } from '../pieces/dialog.tsx';
import { Command } from '../pieces/pieces.tsx';

interface Props {
  readonly problem?: string | undefined;
  readonly onEntered: (session: ConsoleSession) => void;
}

/** How people come in. The key goes to the server once and is kept nowhere in the browser. */
export function SignIn({ problem, onEntered }: Props) {
  const [told, setTold] = useState(problem ?? '');
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = 'Sign in · Parley';
  }, []);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const key = textIn(new FormData(event.currentTarget), 'key').trim();
    setBusy(true);
    try {
      onEntered(await api.signIn({ api_key: key }));
    } catch (error) {
      setTold(errorText(error));
      setBusy(false);
    }
  };
  return (
    <main className="sign-in">
      <p className="wordmark">Parley</p>
      <h1>Console</h1>
      {told && (
        <p className="problem" role="alert">
          {told}
        </p>
      )}
      <section className="card">
        <h2>You run this server</h2>
        <p>On the machine it runs on, this command opens the console. Its link works once, for five minutes.</p>
        <Command text="npx parley console" />
      </section>
      <section className="card">
        <h2>You have an account</h2>
        <form onSubmit={(event) => void submit(event)}>
          <label className="field">
            <span>Your owner-wide key</span>
            <input name="key" type="password" required autoComplete="off" spellCheck={false} placeholder="cue_sk_…" />
          </label>
          <p className="soft small">It is sent to this server and kept nowhere in the browser.</p>
          <button className="button" disabled={busy}>
            Sign in
          </button>
        </form>
        <ByDevice onEntered={onEntered} onProblem={setTold} />
      </section>
    </main>
  );
}

function ByDevice({ onEntered, onProblem }: { readonly onEntered: Props['onEntered']; readonly onProblem: (text: string) => void }) {
  const [code, setCode] = useState<string>();
  useEffect(() => {
    if (code === undefined) return undefined;
    const timer = setInterval(() => {
      api.signIn({ device_code: code }).then(onEntered, (error: unknown) => {
        // Not approved yet is no failure.
        if (error instanceof DeliveryError && error.code === 'invalid_state' && !/expired/.test(error.message)) return;
        clearInterval(timer);
        setCode(undefined);
        onProblem(errorText(error));
      });
    }, 2000);
    return () => clearInterval(timer);
  }, [code, onEntered, onProblem]);
  const begin = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const email = textIn(new FormData(event.currentTarget), 'email');
    const made = crypto.randomUUID();
    try {
      await api.call(deviceCodeCreate, { body: { device_code: made } });
      await api.call(deviceCodeSubmitEmail, { body: { device_code: made, email } });
      setCode(made);
    } catch (error) {
      onProblem(errorText(error));
    }
  };
  if (code !== undefined)
    return (
      <p className="soft" role="status">
        This server sends no mail: whoever runs it sees the link in its output and hands it to you. Approve it, and this page goes on by itself.
      </p>
    );
  return (
    <details>
      <summary>Sign in by email instead</summary>
      <form onSubmit={(event) => void begin(event)}>
        <label className="field">
          <span>Your email address</span>
          <input name="email" type="email" required autoComplete="email" />
        </label>
        <button className="button quiet">Ask for the link</button>
      </form>
    </details>
  );
}
