import { element, on } from '../shared/dom.ts';
import { type Document, resolved, type Schema, typeWords } from './openapi.ts';

/** The members of a schema; those of members are made when they are opened, since some schemas hold themselves. */
export function schemaView(document: Document, given: Schema): HTMLElement {
  const { schema } = resolved(document, given);
  const within = inner(document, schema);
  const list = element('ul', 'members');
  for (const part of within) list.append(...members(document, part));
  if (list.childElementCount > 0) return list;
  return element('p', 'small', element('code', '', typeWords(document, given)));
}

/** The objects whose members are told: its own, those of a list's items, or those of each choice. */
function inner(document: Document, given: Schema): Schema[] {
  const { schema } = resolved(document, given);
  if (schema.properties) return [schema];
  if (schema.items) return inner(document, schema.items);
  return (schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []).flatMap((option) => inner(document, option));
}

function members(document: Document, { properties = {}, required = [] }: Schema): HTMLElement[] {
  return Object.entries(properties).map(([name, schema]) => {
    const words = [
      element('code', '', name),
      ' ',
      element('span', 'soft', typeWords(document, schema)),
      ...(required.includes(name) ? [' ', element('span', 'needed', 'needed')] : []),
      ...(schema.description === undefined ? [] : [` ${schema.description}`]),
    ];
    if (inner(document, schema).length === 0) return element('li', '', ...words);
    const more = element('details', '', element('summary', '', ...words));
    on(more, 'toggle', () => {
      if (more.open && more.childElementCount === 1) more.append(schemaView(document, schema));
    });
    return element('li', '', more);
  });
}
