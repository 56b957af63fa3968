import type { ConsoleSession } from '@parley/protocol/console/session-routes';
import { useCallback, useEffect, useState } from 'react';
import { api, errorText, queries, SessionProvider } from './data.ts';
import { Shell } from './shell/shell.tsx';
import { SignIn } from './sign-in/sign-in.tsx';

type Standing = { readonly session?: ConsoleSession; readonly problem?: string; readonly known: boolean };

/** Who is there decides what is shown: the sign-in, or the console. */
export function App() {
  const [{ session, problem, known }, setStanding] = useState<Standing>({ known: false });
  const enter = useCallback((entered: ConsoleSession) => setStanding({ session: entered, known: true }), []);
  const leave = useCallback(() => {
    queries.clear();
    setStanding({ known: true });
  }, []);
  useEffect(() => void begin().then(setStanding), []);
  if (!known) return null;
  if (!session) return <SignIn problem={problem} onEntered={enter} />;
  return (
    <SessionProvider value={session}>
      <Shell onSignedOut={leave} />
    </SessionProvider>
  );
}

/** By the code in the link, if there is one; it leaves the address at once. */
async function begin(): Promise<Standing> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) {
    history.replaceState(null, '', location.pathname + location.search);
    try {
      return { session: await api.signIn({ code }), known: true };
    } catch (error) {
      return { known: true, problem: errorText(error) };
    }
  }
  try {
    return { session: await api.session(), known: true };
  } catch {
    return { known: true };
  }
}
