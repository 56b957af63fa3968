import type { MessageAnswer } from '@parley/protocol/delivery/types';
import { PROVEN_STAGES, type ProvenStage } from '@parley/protocol/delivery/vocabulary';
import { clock, whole } from '../pieces/time.tsx';
import { wordFor } from '../pieces/words.ts';

const PROOF: Readonly<Record<ProvenStage, string>> = {
  stored: 'it is on disk',
  offered: 'somebody was told of it',
  delivered: 'it was handed over',
  invoked: 'a bridge started the agent with it',
  claimed: 'the agent took it',
  acked: 'the agent said so',
};

/** When each stage was reached, as far as that is known. */
const timeOf = (message: MessageAnswer, stage: ProvenStage): string | null =>
  ({
    stored: message.created_at,
    offered: message.queued_at,
    delivered: message.delivered_at,
    invoked: message.invoked_at,
    claimed: message.read_at,
    acked: message.acked_at,
  })[stage];

/** The path of a message: what is proven, when, and why it is not further. */
export function Path({ message }: { readonly message: MessageAnswer }) {
  const reached = PROVEN_STAGES.indexOf(message.proven_stage);
  const failed = message.delivery_state === 'failed';
  return (
    <section className="card" aria-label="Path">
      <ol className="path">
        {PROVEN_STAGES.map((stage, at) => {
          const time = timeOf(message, stage);
          const standing = at < reached ? 'past' : at === reached ? 'now' : 'open';
          // A bridge is one way among others.
          const skipped = stage === 'invoked' && at < reached && time === null;
          return (
            <li key={stage} className={skipped ? 'skipped' : standing} aria-current={at === reached ? 'step' : undefined}>
              <span className="path-name">{stage === 'acked' ? 'acknowledged' : stage}</span>
              <span className="soft small">
                {time !== null && at <= reached ? <time dateTime={time} title={whole(time)}>{clock(time)}</time> : skipped ? 'not by a bridge' : ''}
              </span>
              <span className="soft small path-proof">{at <= reached && !skipped ? PROOF[stage] : ''}</span>
            </li>
          );
        })}
      </ol>
      {message.proven_stage_reason && (
        <p className={failed ? 'danger-text' : 'soft'}>
          {failed ? 'It did not arrive: ' : 'Not further yet: '}
          {wordFor(message.proven_stage_reason)}
          {message.message_dispatch_error && `: ${wordFor(message.message_dispatch_error)}`}
        </p>
      )}
    </section>
  );
}
