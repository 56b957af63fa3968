import { element } from './dom.ts';

/** Gives the person a file that was made here; nothing of it goes over the network. */
export function download(fileName: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = element('a', '');
  link.setAttribute('href', address);
  link.download = fileName;
  link.click();
  // The browser has taken the bytes by then; a minute later surely.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A name that every file system takes: what the conversation was about, and the day. */
export function fileNameOf(topic: string, at: number, ending: string): string {
  const words = topic
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '');
  return `${words || 'conversation'}-${new Date(at).toISOString().slice(0, 10)}.${ending}`;
}
