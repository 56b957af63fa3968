import { Command } from '../pieces/pieces.tsx';

/** Shown once: it is kept sealed, and no page shows it again. */
export function Secret({ text }: { readonly text: string }) {
  return (
    <>
      <p>Keep it now: it is not shown again.</p>
      <Command text={text} />
    </>
  );
}
