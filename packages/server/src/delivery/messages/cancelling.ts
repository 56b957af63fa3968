import { STILL_HERE } from '@parley/protocol/delivery/vocabulary';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { lockJourneyOf, moveExecution } from '../executions/journeys.ts';
import type { MessagingContext } from '../messaging-context.ts';
import { takes } from '../records/execution-states.ts';
import { advanceMessage } from '../records/message-moves.ts';
import { traceStep } from '../routing/trace.ts';

/** Takes a message back: it ends as one whose time is over. Without an owner, whoever sent it. */
export function cancelMessage(
  context: MessagingContext,
  ownerId: string | undefined,
  id: string,
): Promise<void> {
  const { database, clock } = context;
  return database.write(async (tx) => {
    const journey = await lockJourneyOf(tx, id);
    const isTheirs = ownerId === undefined || journey?.message.sender_owner === ownerId;
    if (!journey || !isTheirs) throw new DeliveryError('message_not_found');
    const { execution, message } = journey;
    if (!STILL_HERE.has(message.state) || !takes(execution.status, 'expired')) {
      throw new DeliveryError('invalid_state', 'it has been handed over, or somebody is at work on it');
    }
    await advanceMessage(context, tx, message, 'expired');
    const patch = { error_message: 'the message was taken back' };
    const steps = [traceStep(clock.now(), 'push', 'cancelled')];
    await moveExecution(context, tx, execution, 'expired', patch, steps);
  });
}
