import { element, on } from '../shared/dom.ts';
import type { Call, Document, Operation } from './openapi.ts';
import { schemaView } from './schema-view.ts';
import { tryForm } from './try-form.ts';

/** One call: a line, and when it is opened all there is to know. */
export function callView(document: Document, call: Call, key: () => string): HTMLDetailsElement {
  const { method, path, operation } = call;
  const view = element(
    'details',
    'call',
    element(
      'summary',
      '',
      element('span', 'method', method),
      element('code', '', path),
      element('span', 'soft', operation.summary),
    ),
  );
  view.id = operation.operationId;
  on(view, 'toggle', () => {
    if (view.open && view.childElementCount === 1) view.append(detail(document, call, key));
  });
  return view;
}

function detail(document: Document, call: Call, key: () => string): HTMLElement {
  const { operation } = call;
  const body = operation.requestBody?.content['application/json'];
  return element(
    'div',
    'detail',
    ...part('Who may', element('p', 'small', whoMay(operation))),
    ...(operation.parameters.length > 0 ? part('Takes', parameters(document, operation)) : []),
    ...(body?.schema ? part('Body', schemaView(document, body.schema), ...example(body.example)) : []),
    ...answers(document, operation),
    ...part('Try it', tryForm(call, key)),
  );
}

const part = (title: string, ...views: HTMLElement[]): HTMLElement[] => [element('h3', '', title), ...views];

function whoMay({ security, 'x-auth': auth }: Operation): string {
  if (security.length === 0) return 'Everybody; no key is needed.';
  if (security.some((way) => Object.keys(way).length === 0))
    return 'Everybody; with a key it does what the key may.';
  return `Needs a credential: ${auth ?? 'key'}. It is sent as Authorization: Bearer.`;
}

function parameters(document: Document, { parameters: all }: Operation): HTMLElement {
  const shape = {
    properties: Object.fromEntries(
      all.map(({ name, in: place, schema, description }) => [
        name,
        { ...schema, description: [`In the ${place}.`, description ?? ''].join(' ').trim() },
      ]),
    ),
    required: all.filter(({ required }) => required).map(({ name }) => name),
  };
  return schemaView(document, shape);
}

function answers(document: Document, { responses }: Operation): HTMLElement[] {
  return Object.entries(responses).flatMap(([status, { description, content = {} }]) =>
    part(
      status === 'default' ? 'Refused' : `Answers ${status}`,
      element('p', 'small soft', description),
      ...Object.entries(content).flatMap(([type, { schema, example: shown }]) => [
        element('p', 'small', element('code', '', type)),
        ...(schema ? [schemaView(document, schema)] : []),
        ...example(shown),
      ]),
    ),
  );
}

function example(value: unknown): HTMLElement[] {
  if (value === undefined) return [];
  const shown = element('pre', '', element('code', '', JSON.stringify(value, null, 2)));
  shown.tabIndex = 0;
  return [shown];
}
