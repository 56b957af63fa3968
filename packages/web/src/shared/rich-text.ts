/** Reads the two things agents mark up in chat, code fences and inline code; everything else stays as typed. */

export type Span = { readonly code: boolean; readonly text: string };
export type Block =
  | { readonly kind: 'text'; readonly spans: readonly Span[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string };

export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let prose: string[] = [];
  let fence: { mark: string; language: string; lines: string[] } | null = null;

  const endProse = () => {
    const paragraph = prose.join('\n').replace(/^\n+|\n+$/g, '');
    if (paragraph !== '') blocks.push({ kind: 'text', spans: spansOf(paragraph) });
    prose = [];
  };
  const endFence = () => {
    if (fence !== null) blocks.push({ kind: 'code', language: fence.language, text: fence.lines.join('\n') });
    fence = null;
  };

  for (const line of text.split(/\r?\n/)) {
    if (fence !== null) {
      if (isClosing(line, fence.mark)) endFence();
      else fence.lines.push(line);
      continue;
    }
    const opening = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$/.exec(line);
    if (opening === null) {
      prose.push(line);
      continue;
    }
    endProse();
    fence = { mark: opening[1] ?? '', language: firstWord(opening[2] ?? ''), lines: [] };
  }
  // A fence that never closes was probably cut off: its lines are still code.
  endFence();
  endProse();
  return blocks;
}

/** Text between two equally long runs of backticks on one line is code. One pass: peers choose the text. */
export function spansOf(paragraph: string): Span[] {
  const spans: Span[] = [];
  const runs = [...paragraph.matchAll(/`+|\n/g)];
  const closings = closingRuns(runs);
  let at = 0;
  for (let index = 0; index < runs.length; index += 1) {
    const opening = runs[index];
    const closing = runs[closings[index] ?? -1];
    if (opening === undefined || closing === undefined) continue;
    const codeStart = opening.index + opening[0].length;
    if (opening.index > at) spans.push({ code: false, text: paragraph.slice(at, opening.index) });
    spans.push({ code: true, text: paragraph.slice(codeStart, closing.index) });
    at = closing.index + closing[0].length;
    index = closings[index] ?? index;
  }
  if (at < paragraph.length) spans.push({ code: false, text: paragraph.slice(at) });
  return spans;
}

/** For each run of backticks, where the next one of the same length on its line stands. */
function closingRuns(runs: readonly RegExpExecArray[]): (number | undefined)[] {
  const closings: (number | undefined)[] = [];
  let nextByLength = new Map<number, number>();
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const run = runs[index]?.[0] ?? '';
    if (run === '\n') {
      nextByLength = new Map();
      continue;
    }
    closings[index] = nextByLength.get(run.length);
    nextByLength.set(run.length, index);
  }
  return closings;
}

function isClosing(line: string, mark: string): boolean {
  const closing = line.trim();
  return closing.length >= mark.length && closing === mark.charAt(0).repeat(closing.length);
}

function firstWord(info: string): string {
  return info.trim().split(/\s+/)[0]?.slice(0, 24) ?? '';
}
