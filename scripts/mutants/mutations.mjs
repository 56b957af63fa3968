import { parseAst } from 'vite';

const SWAPS = new Map([
  ['===', '!=='],
  ['!==', '==='],
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
  ['&&', '||'],
  ['||', '&&'],
]);

/** Every small change that could be made to a source: from `start` to `end` would stand `with`. */
export function mutationsOf(text) {
  const found = [];
  visit(parseAst(text, { lang: 'ts' }), text, found);
  return found;
}

function visit(node, text, found) {
  // Types are gone at run time; what they wrap is not.
  if (node.type.startsWith('TS') && node.expression === undefined) return;
  const change = CHANGES[node.type]?.(node, text);
  if (change) found.push(...[change].flat());
  // Whoever sorts by it asks for its sign alone: another number with that makes no difference.
  if (isSign(node)) return visit(node.test, text, found);
  for (const child of Object.values(node).flat()) {
    if (typeof child?.type === 'string') visit(child, text, found);
  }
}

const SIGNED = new Set(['1 : -1', '-1 : 1']);

const isSign = ({ type, consequent, alternate }) =>
  type === 'ConditionalExpression' && SIGNED.has(`${signed(consequent)} : ${signed(alternate)}`);

const signed = ({ type, operator, argument, value }) =>
  type === 'UnaryExpression' && operator === '-' ? `-${argument.value}` : value;

const replaced = ({ start, end }, by) => ({ start, end, with: by });
const negated = (test, text) => replaced(test, `!(${text.slice(test.start, test.end)})`);

function swapped({ left, right, operator }, text) {
  const by = SWAPS.get(operator);
  if (by === undefined) return undefined;
  const start = left.end + text.slice(left.end, right.start).indexOf(operator);
  return { start, end: start + operator.length, with: by };
}

const CHANGES = {
  BinaryExpression: swapped,
  LogicalExpression: swapped,
  IfStatement: ({ test }, text) => negated(test, text),
  ConditionalExpression: ({ test }, text) => negated(test, text),
  Literal: (node) => {
    if (typeof node.value === 'boolean') return replaced(node, String(!node.value));
    if (typeof node.value === 'number') return replaced(node, String(node.value + 1));
    return undefined;
  },
  // A call whose answer nobody wants is made for what it does.
  ExpressionStatement: (node) =>
    ['CallExpression', 'AwaitExpression', 'AssignmentExpression'].includes(node.expression.type)
      ? replaced(node, ';')
      : undefined,
  ThrowStatement: (node) => replaced(node, ';'),
};
