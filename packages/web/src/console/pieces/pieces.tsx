import { DeliveryError } from '@parley/sdk/delivery/delivery-error';
import { type ReactNode, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { errorText } from '../data.ts';
import { tell } from './toasts.tsx';
import { type Tone, toneOf, wordFor } from './words.ts';

/** A state with a word and not only a colour. */
export function State({ state, tone }: { readonly state: string; readonly tone?: Tone }) {
  return <span className={`state ${tone ?? toneOf(state)}`}>{wordFor(state)}</span>;
}

/** Ids and addresses can be taken along. */
export function Copy({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  return (
    <button
      type="button"
      className="icon copy-button"
      title={`${label} ${text}`}
      aria-label={`${label} ${text}`}
      onClick={(event) => {
        event.stopPropagation();
        void navigator.clipboard.writeText(text).then(
          () => tell('Copied'),
          () => tell('This browser does not let the page copy; select the text instead.'),
        );
      }}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="1.3">
        <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
        <path d="M10.5 5.5v-3h-8v8h3" />
      </svg>
    </button>
  );
}

/** What may be too long for its place; copied it is whole. */
export function Clipped({ text }: { readonly text: string }) {
  return (
    <span className="id">
      <code className="clip">{text}</code>
      <Copy text={text} />
    </span>
  );
}

export function Id({ text }: { readonly text: string }) {
  return (
    <span className="id">
      <code>{text}</code>
      <Copy text={text} />
    </span>
  );
}

/** A view begins with its name, which is the title of the page too; the view of one object goes on with the object's. */
export function Page(props: {
  readonly title: string;
  readonly of?: string | null | undefined;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const { title, of, lead, actions, children } = props;
  useEffect(() => {
    document.title = `${of ? `${title} ${of}` : title} · Parley`;
  }, [title, of]);
  return (
    <>
      <header className="view-head">
        <div>
          <h1>
            {of ? (
              <>
                <span className="kind">{title}</span> {of}
              </>
            ) : (
              title
            )}
          </h1>
          {lead && <div className="soft">{lead}</div>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

export function Card(props: { readonly title?: ReactNode; readonly children: ReactNode; readonly actions?: ReactNode }) {
  const { title, children, actions } = props;
  return (
    <section className="card">
      {title && (
        <div className="card-head">
          <h2>{title}</h2>
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}

/** What is known of an object, name by name. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? <span className="soft">none</span>}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Says what will be here, and the one thing to do now. */
export function Empty(props: { readonly title: string; readonly children?: ReactNode; readonly command?: string }) {
  return (
    <div className="empty">
      <p className="empty-title">{props.title}</p>
      {props.children && <div className="soft">{props.children}</div>}
      {props.command && <Command text={props.command} />}
    </div>
  );
}

/** Something to run, and to take along. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div className="command">
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <Copy text={text} label="Copy the command" />
    </div>
  );
}

/** What happened, what was not lost, what to do. */
export function Problem({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  if (error instanceof DeliveryError && error.status === 404)
    return (
      <Empty title="There is nothing at this address">
        It is over and was removed, or the address has a slip in it. Ctrl K finds what is there by its name or id.
      </Empty>
    );
  return (
    <div className="problem" role="alert">
      <p>{errorText(error)}</p>
      {retry && (
        <button type="button" className="button quiet" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

interface Loaded {
  readonly error: unknown;
  readonly isPending: boolean;
  readonly refetch: () => unknown;
}

/** Shows its children once there is something to show. */
export function Waiting({ of, children }: { readonly of: Loaded; readonly children: ReactNode }) {
  if (of.error) return <Problem error={of.error} retry={() => void of.refetch()} />;
  if (of.isPending) return <p className="soft loading">Loading…</p>;
  return children;
}

/** The same, as a call. */
export function AsCurl({ method, path, body }: { readonly method: string; readonly path: string; readonly body?: object }) {
  const [open, setOpen] = useState(false);
  const data = body ? ` \\\n  -H 'content-type: application/json' -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'` : '';
  const verb = method === 'GET' ? '' : `-X ${method} `;
  const text = `curl -s ${verb}${location.origin}${path} \\\n  -H "Authorization: Bearer $PARLEY_KEY"${data}`;
  return (
    <div className="as-curl">
      <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
        as curl
      </button>
      {open && <Command text={text} />}
    </div>
  );
}

export function AgentLink({ address }: { readonly address: string }) {
  if (!address.includes('@')) return <code>{address}</code>;
  return (
    <Link href={`/agents/${address}`} className="address">
      {address}
    </Link>
  );
}
