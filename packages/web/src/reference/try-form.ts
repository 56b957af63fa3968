import { button, element, on } from '../shared/dom.ts';
import type { Call, Parameter } from './openapi.ts';

const LONGEST_SHOWN = 100_000;

/** Sends the call as it stands in the form, and shows what came back. The key is asked for when it is sent, and kept nowhere. */
export function tryForm({ method, path, operation }: Call, key: () => string): HTMLElement {
  const id = `try-${operation.operationId}`;
  const fields = operation.parameters.map((parameter) => ({ parameter, input: inputFor(id, parameter) }));
  const content = operation.requestBody?.content['application/json'];
  const body = content && bodyFor(id, content.example);
  const shown = element('pre', '');
  const state = element('p', 'small', '');
  state.setAttribute('role', 'status');
  shown.tabIndex = 0;
  shown.hidden = true;
  let sent: AbortController | undefined;
  const stop = button('Stop', () => sent?.abort());
  stop.hidden = true;
  const send = element('button', 'button', `Send ${method}`);

  const form = element(
    'form',
    '',
    ...fields.flatMap(({ parameter, input }) => labelled(input, nameOf(parameter))),
    ...(body ? labelled(body, 'Body') : []),
    element('div', 'row', send, stop),
    state,
    shown,
  );
  on(form, 'submit', (event) => {
    event.preventDefault();
    void answer();
  });

  async function answer(): Promise<void> {
    const request = requestFrom(method, path, fields, body?.value, key());
    sent?.abort();
    sent = new AbortController();
    shown.hidden = false;
    shown.textContent = '';
    state.className = 'small';
    state.textContent = `${method} ${request.url} …`;
    stop.hidden = false;
    const begun = performance.now();
    try {
      const response = await fetch(request.url, { ...request.init, signal: sent.signal });
      const ms = Math.round(performance.now() - begun);
      state.textContent = `${response.status} ${response.statusText}, ${ms} ms`;
      if (!response.ok) state.classList.add('failed');
      await show(response);
    } catch (error) {
      if (sent.signal.aborted) state.textContent = 'Stopped.';
      else {
        state.classList.add('failed');
        state.textContent = `No answer: ${error instanceof Error ? error.message : String(error)}. Nothing is known of what was done.`;
      }
    } finally {
      stop.hidden = true;
    }
  }

  /** A stream is shown as it comes, everything else when it is whole. */
  async function show(response: Response): Promise<void> {
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (!isStream) {
      shown.textContent = pretty(await response.text()).slice(0, LONGEST_SHOWN);
      return;
    }
    const decoder = new TextDecoder();
    const reader = response.body?.getReader();
    for (;;) {
      const part = await reader?.read();
      if (!part || part.done) return;
      shown.textContent = `${shown.textContent}${decoder.decode(part.value, { stream: true })}`.slice(
        -LONGEST_SHOWN,
      );
    }
  }
  return form;
}

type Field = { readonly parameter: Parameter; readonly input: HTMLInputElement };

function requestFrom(
  method: string,
  path: string,
  fields: readonly Field[],
  body: string | undefined,
  key: string,
): { url: string; init: RequestInit } {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let url = path;
  for (const { parameter, input } of fields) {
    if (parameter.in === 'path') url = url.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    else if (input.value === '') continue;
    else if (parameter.in === 'query') query.set(parameter.name, input.value);
    else headers[parameter.name] = input.value;
  }
  if (key !== '') headers['authorization'] = `Bearer ${key}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const asked = query.size > 0 ? `${url}?${query}` : url;
  // The cookie of the console is not for this page: what is tried is tried with the key, or with nothing.
  return { url: asked, init: { method, headers, credentials: 'omit', ...(body !== undefined && { body }) } };
}

function inputFor(form: string, { name, in: place, example, required }: Parameter): HTMLInputElement {
  const input = element('input', '');
  input.id = `${form}-${place}-${name}`;
  input.autocomplete = 'off';
  input.spellcheck = false;
  input.required = place === 'path' || required === true;
  input.value = typeof example === 'string' ? example : (JSON.stringify(example) ?? '');
  return input;
}

function bodyFor(form: string, example: unknown): HTMLTextAreaElement {
  const area = element('textarea', '');
  area.id = `${form}-body`;
  area.spellcheck = false;
  area.value = JSON.stringify(example ?? {}, null, 2);
  return area;
}

function labelled(field: HTMLElement, text: string): HTMLElement[] {
  const label = element('label', '', text);
  label.htmlFor = field.id;
  return [label, field];
}

const nameOf = ({ name, in: place }: Parameter): string => (place === 'path' ? name : `${name} (${place})`);

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
