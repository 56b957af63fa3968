import { messageReadOne } from '@parley/protocol/delivery/message-routes';
import type { MessageAnswer } from '@parley/protocol/delivery/types';
import { useParams } from 'wouter';
import { useAnswer, useMayChange, useOwnerOf, useReadsTexts } from '../data.ts';
import { AgentLink, AsCurl, Card, Facts, Id, Page, State, Waiting } from '../pieces/pieces.tsx';
import { Prose } from '../pieces/prose.tsx';
import { Moment } from '../pieces/time.tsx';
import { wordFor } from '../pieces/words.ts';
import { MessageActions } from './actions.tsx';
import { Journey } from './journey.tsx';
import { Path } from './path.tsx';
import { Request } from './request.tsx';
import { Thread } from './thread.tsx';

/** The words, and how far they came with the proof of each step. */
export function Message() {
  const { id } = useParams<{ id: string }>();
  const owner = useOwnerOf(id);
  const readsTexts = useReadsTexts();
  const mayChange = useMayChange();
  const enabled = owner.data !== undefined && readsTexts;
  const read = useAnswer<MessageAnswer>(messageReadOne, { input: { path: [id] }, owner: owner.data, kinds: ['messages', 'executions'], enabled });
  const message = read.data;
  if (owner.error) return <Page title="Message"><Waiting of={owner}>{null}</Waiting></Page>;
  if (!readsTexts)
    return (
      <Page title="Message">
        <p className="soft">You see that there are messages and what failed, not their words: the server runs with operator_reads=names.</p>
      </Page>
    );
  return (
    <Page
      title="Message"
      of={message?.subject}
      lead={
        message && (
          <>
            <AgentLink address={senderOf(message)} /> to <AgentLink address={message.to} />, <Moment at={message.created_at} />{' '}
            <State state={stateOf(message)} />
          </>
        )
      }
      actions={mayChange && message && owner.data !== undefined && <MessageActions message={message} owner={owner.data} />}
    >
      <Waiting of={read}>
        {message && (
          <>
            <Path message={message} />
            <Card>
              <Prose text={message.body} />
            </Card>
            <Thread message={message} owner={owner.data} />
            <Journey execution={message.execution_id} owner={owner.data} request={(attempts) => <Request message={message} attempts={attempts} />} />
            <Card title="Details">
              <Facts
                facts={[
                  ['Id', <Id key="id" text={message.id} />],
                  ['Thread', <Id key="thread" text={message.thread_id} />],
                  ['Priority', message.priority],
                  ['Asked for', wordFor(message.delivery_mode)],
                  ['Way taken', message.delivery_route === null ? null : wordFor(message.delivery_route)],
                  ['Answer expected', message.expects_reply ? 'yes' : 'no'],
                  ['Expires', <Moment key="expires" at={message.expires_at} />],
                ]}
              />
            </Card>
          </>
        )}
      </Waiting>
      <AsCurl method="GET" path={`/v1/messages/${id}`} />
    </Page>
  );
}

const senderOf = ({ from }: MessageAnswer): string => from.slug;

/** The push gave up, and then it was handed over all the same. */
const stateOf = ({ delivery_state: state, delivered_at: at }: MessageAnswer): string =>
  state === 'failed' && at !== null ? 'delivered' : state;
