import { byId, element, on } from '../shared/dom.ts';
import { callView } from './call-view.ts';
import { callsOf, type Document } from './openapi.ts';

const find = byId('find', HTMLInputElement);
const key = byId('key', HTMLInputElement);
const state = byId('state');

state.textContent = 'Loading …';
fetch('/openapi.json', { credentials: 'omit' })
  .then(async (response) => show((await response.json()) as Document))
  .catch(() => {
    state.textContent = 'The list of calls did not come. Reload the page, or read it at /openapi.json.';
  });

function show(document: Document): void {
  state.textContent = '';
  const calls = callsOf(document).map((call) => ({
    call,
    words: [call.method, call.path, call.operation.operationId, call.operation.summary]
      .join(' ')
      .toLowerCase(),
    view: callView(document, call, () => key.value.trim()),
  }));
  const modules = document.tags.map(({ name, description }) => {
    const own = calls.filter(({ call }) => call.operation.tags.includes(name));
    const section = element(
      'section',
      '',
      element('h2', '', name),
      element('p', 'soft', description),
      ...own.map(({ view }) => view),
    );
    section.id = `module-${name}`;
    const link = element('a', '', `${name} (${own.length})`);
    link.href = `#module-${name}`;
    byId('modules').append(link);
    byId('calls').append(section);
    return { section, own };
  });

  on(find, 'input', () => {
    const wanted = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { view, words } of calls) view.hidden = !wanted.every((word) => words.includes(word));
    for (const { section, own } of modules) section.hidden = own.every(({ view }) => view.hidden);
    const left = calls.filter(({ view }) => !view.hidden).length;
    state.textContent = wanted.length === 0 ? '' : `${left} of ${calls.length} calls`;
  });
  on(window, 'hashchange', openNamed);
  openNamed();
}

/** `#message_send` opens that call. */
function openNamed(): void {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!named) return;
  if (named instanceof HTMLDetailsElement) named.open = true;
  named.scrollIntoView();
}
