import { search as searchCapsules } from '@parley/protocol/continuity/routes';
import type { SearchAnswer } from '@parley/protocol/continuity/list-answers';
import { search as searchDocuments } from '@parley/protocol/knowledge/routes';
import type { FoundAnswer } from '@parley/protocol/knowledge/answers';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAnswer, useReadsTexts } from '../data.ts';
import { Card, Empty, Waiting } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { wordFor } from '../pieces/words.ts';
import { DocumentDialog } from '../subject/document.tsx';
import { subjectPath } from './subject-path.ts';

/** Capsules and documents of one owner that hold the words. */
export function Found({ words, owner }: { readonly words: string; readonly owner: string | undefined }) {
  const enabled = useReadsTexts() && owner !== undefined;
  const [shown, setShown] = useState<string>();
  const kinds = ['memory'] as const;
  const capsules = useAnswer<SearchAnswer>(searchCapsules, { input: { body: { query: words, limit: 20 } }, owner, kinds, enabled });
  const documents = useAnswer<FoundAnswer>(searchDocuments, { input: { body: { query: words, limit: 20 } }, owner, kinds, enabled });
  if (!enabled || owner === undefined) return <Empty title="Nothing to search">You do not read what agents wrote here.</Empty>;
  return (
    <div className="columns">
      <Card title={`Capsules of ${owner}`}>
        <Waiting of={capsules}>
          {capsules.data?.results.length === 0 && <p className="soft">None says this.</p>}
          <ul className="plain-list">
            {capsules.data?.results.map(({ subject_kind: kind, subject_id: id, path, thread_descriptor: told, matches }) => (
              <li key={path}>
                <Link href={subjectPath(kind, id, owner)}>{told?.label ?? id}</Link> <span className="soft small">{kind}</span>
                {matches.slice(0, 3).map(({ field, snippet }) => (
                  <p key={`${field} ${snippet}`} className="small snippet">
                    <span className="soft">{wordFor(field.split('.').at(-1) ?? field)}:</span> {snippet}
                  </p>
                ))}
              </li>
            ))}
          </ul>
        </Waiting>
      </Card>
      <Card title={`Documents of ${owner}`}>
        <Waiting of={documents}>
          {documents.data?.results.length === 0 && <p className="soft">None says this.</p>}
          <ul className="plain-list">
            {documents.data?.results.map(({ path, snippet, modified_at: at }) => (
              <li key={path}>
                <button type="button" className="link path" onClick={() => setShown(path)}>
                  {path}
                </button>{' '}
                <span className="soft small">
                  <Moment at={at} />
                </span>
                <p className="small snippet">{snippet}</p>
              </li>
            ))}
          </ul>
        </Waiting>
      </Card>
      {shown !== undefined && <DocumentDialog path={shown} owner={owner} onClose={() => setShown(undefined)} />}
    </div>
  );
}
