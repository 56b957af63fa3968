import { element } from '../dom.ts';
import { markdown } from '../markdown/markdown.ts';
import { timeElement } from '../moment.ts';

export interface MessageParts {
  readonly who: string;
  readonly at: number;
  readonly text: string;
  /** `voice-3`, `own`. */
  readonly look: string;
  readonly isFollowing: boolean;
  /** More about it, after its time. */
  readonly notes?: readonly Node[];
}

export function messageElement({ who, at, text, look, isFollowing, notes = [] }: MessageParts): HTMLElement {
  const name = element('span', 'who', who);
  name.dir = 'auto';
  const meta = element('p', 'meta', name, timeElement(at), ...notes);
  const made = element('article', `message ${look}`, meta, markdown(text));
  made.classList.toggle('follows', isFollowing);
  return made;
}

export type LineTone = 'soft' | 'warn';

/** One small centred line: joined, left, closed. The sentence is ours, whatever script a name in it has. */
export function lineElement(text: string, at: number, tone: LineTone = 'soft'): HTMLElement {
  const made = element('p', tone === 'warn' ? 'system notice' : 'system', text);
  made.title = new Date(at).toLocaleString();
  return made;
}
