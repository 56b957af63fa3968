import { element } from '../dom.ts';
import { linkNodes } from './link-element.ts';

/** Bold, italics, inline code and links inside one paragraph. One pass: peers choose the text. */
const MARK =
  /`+|\*{1,3}|_{1,3}|\[[^[\]\n]{1,300}\]\(https?:\/\/[^\s()<>]{1,1000}\)|https?:\/\/[^\s<>"`]{1,1000}|\n/g;
const MOST_OPEN = 8;

interface Open {
  readonly mark: string;
  readonly nodes: (Node | string)[];
}

/** Inside a link there is no other one. */
export function inlineNodes(text: string, isLabel = false): Node[] {
  const marks = [...text.matchAll(MARK)];
  const closings = closingRuns(marks);
  const open: Open[] = [{ mark: '', nodes: [] }];
  const add = (...nodes: (Node | string)[]) => open.at(-1)?.nodes.push(...nodes);
  let at = 0;
  for (let index = 0; index < marks.length; index += 1) {
    const mark = marks[index]?.[0] ?? '';
    const start = marks[index]?.index ?? 0;
    if (mark === '\n') continue;
    const end = start + mark.length;
    add(text.slice(at, start));
    at = end;
    const closing = closings[index];
    if (closing !== undefined) {
      const closed = marks[closing]?.index ?? end;
      add(element('code', '', text.slice(end, closed)));
      at = closed + mark.length;
      index = closing;
    } else if (mark.startsWith('[')) {
      const middle = mark.indexOf('](');
      add(...linkNodes(mark.slice(middle + 2, -1), inlineNodes(mark.slice(1, middle), true)));
    } else if (mark.startsWith('http')) {
      if (isLabel) {
        add(mark);
        continue;
      }
      const address = mark.replace(/[.,;:!?)*_'\]]{1,20}$/, '');
      add(...linkNodes(address, [document.createTextNode(address)]), mark.slice(address.length));
    } else {
      for (const each of splitMark(mark, open))
        emphasise(open, each, text.charAt(start - 1), text.charAt(end));
    }
  }
  add(text.slice(at));
  while (open.length > 1) unwrap(open);
  const root = element('span', '', ...(open[0]?.nodes ?? []));
  root.normalize();
  return [...root.childNodes];
}

/** Three are bold and italics at once; the one that was opened last is closed first. */
function splitMark(mark: string, open: readonly Open[]): string[] {
  if (mark.length < 3) return [mark];
  const [one, two] = [mark.slice(2), mark.slice(1)];
  return open.at(-1)?.mark === one ? [one, two] : [two, one];
}

/** Opens before a word and closes after one; an underscore inside a word is part of it. */
function emphasise(open: Open[], mark: string, before: string, after: string): void {
  const isUnderscore = mark.startsWith('_');
  const opener = open.findIndex((each) => each.mark === mark);
  const canClose = /\S/.test(before) && !(isUnderscore && /\w/.test(after));
  if (opener > 0 && canClose) {
    while (open.length - 1 > opener) unwrap(open);
    const nodes = open.pop()?.nodes ?? [];
    open.at(-1)?.nodes.push(element(mark.length === 2 ? 'strong' : 'em', '', ...nodes));
    return;
  }
  const canOpen = /\S/.test(after) && !(isUnderscore && /\w/.test(before)) && open.length < MOST_OPEN;
  if (canOpen) open.push({ mark, nodes: [] });
  else open.at(-1)?.nodes.push(mark);
}

/** What was never closed was no mark. */
function unwrap(open: Open[]): void {
  const { mark, nodes } = open.pop() ?? { mark: '', nodes: [] };
  open.at(-1)?.nodes.push(mark, ...nodes);
}

/** For each run of backticks, where the next one of the same length on its line stands. */
function closingRuns(marks: readonly RegExpExecArray[]): (number | undefined)[] {
  const closings: (number | undefined)[] = [];
  let nextByLength = new Map<number, number>();
  for (let index = marks.length - 1; index >= 0; index -= 1) {
    const mark = marks[index]?.[0] ?? '';
    if (mark === '\n') nextByLength = new Map();
    if (!mark.startsWith('`')) continue;
    closings[index] = nextByLength.get(mark.length);
    nextByLength.set(mark.length, index);
  }
  return closings;
}
