import { read } from '@parley/protocol/knowledge/routes';
import type { DocumentAnswer } from '@parley/protocol/knowledge/answers';
import { useAnswer } from '../data.ts';
import { Dialog } from '../pieces/dialog.tsx';
import { Waiting } from '../pieces/pieces.tsx';
import { Prose } from '../pieces/prose.tsx';

/** A document as it is kept: Markdown is shown as such, everything else as text. */
export function DocumentDialog(props: { readonly path: string; readonly owner: string; readonly onClose: () => void }) {
  const { path, owner, onClose } = props;
  const document = useAnswer<DocumentAnswer>(read, { input: { query: { path } }, owner, kinds: ['memory'] });
  return (
    <Dialog title={path} onClose={onClose}>
      <Waiting of={document}>
        {document.data &&
          (path.endsWith('.md') ? (
            <Prose text={document.data.content} />
          ) : (
            <pre className="answer" tabIndex={0}>
              {document.data.content}
            </pre>
          ))}
      </Waiting>
      <div className="dialog-actions">
        <button type="button" className="button" autoFocus onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
