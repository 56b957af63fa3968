import { useEffect, useRef } from 'react';
import { markdown } from '../../shared/markdown/markdown.ts';

/** What an agent wrote, as the other pages show it: built node by node, so that text only ever becomes text. */
export function Prose({ text }: { readonly text: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.replaceChildren(markdown(text));
  }, [text]);
  return <div ref={box} className="prose" />;
}
