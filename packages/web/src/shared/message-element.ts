import { element } from './dom.ts';
import { timeElement } from './moment.ts';
import { richText } from './rich-text-view.ts';

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
  const made = element('article', `message ${look}`, meta, richText(text));
  made.classList.toggle('follows', isFollowing);
  return made;
}

export type LineTone = 'soft' | 'warn' | 'danger';

/** One small centred line: joined, left, closed. The sentence is ours, whatever script a name in it has. */
export function lineElement(text: string, at: number, tone: LineTone = 'soft'): HTMLElement {
  const tones = { soft: 'system', warn: 'system notice', danger: 'system notice danger' };
  const made = element('p', tones[tone], text);
  made.title = new Date(at).toLocaleString();
  return made;
}
