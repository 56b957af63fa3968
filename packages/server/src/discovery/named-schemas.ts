import { errorAnswerSchema, eventSchema } from '@parley/protocol/channels/wire';
import { continuityCapsule } from '@parley/protocol/continuity/capsule';
import { capsule, continuityState } from '@parley/protocol/continuity/capsule-answer';
import { memoryErrorAnswer } from '@parley/protocol/continuity/error-answer';
import { listRow } from '@parley/protocol/continuity/list-answers';
import { graphSection, scheduleContext, startupSummary } from '@parley/protocol/continuity/startup-answer';
import { trustSignals } from '@parley/protocol/continuity/trust-signals';
import { handoff, peer, reconciliation, sharedState } from '@parley/protocol/coordination/artifacts';
import { agent, liveSession } from '@parley/protocol/delivery/answers/agent-answers';
import { cue } from '@parley/protocol/delivery/answers/cue-answers';
import { deliveryErrorAnswer } from '@parley/protocol/delivery/answers/error-answer';
import { event, subscription } from '@parley/protocol/delivery/answers/event-answers';
import { execution, outcome } from '@parley/protocol/delivery/answers/execution-answers';
import { message } from '@parley/protocol/delivery/answers/message-answers';
import { foundDocument, task } from '@parley/protocol/knowledge/answers';
import { roomEvent } from '@parley/protocol/rooms/answers';
import { roomsErrorAnswer } from '@parley/protocol/rooms/error-answer';
import { scheduleItem } from '@parley/protocol/schedule/item';
import { NamedSchemas } from './json-schema.ts';

const ANSWERED = {
  Agent: agent,
  Capsule: capsule,
  CapsuleRow: listRow,
  ChannelError: errorAnswerSchema,
  ChannelEvent: eventSchema,
  ContinuityState: continuityState,
  Cue: cue,
  DeliveryError: deliveryErrorAnswer,
  Event: event,
  Execution: execution,
  FoundDocument: foundDocument,
  GraphSection: graphSection,
  Handoff: handoff,
  LiveSession: liveSession,
  MemoryError: memoryErrorAnswer,
  Message: message,
  Outcome: outcome,
  Peer: peer,
  Reconciliation: reconciliation,
  RoomEvent: roomEvent,
  RoomsError: roomsErrorAnswer,
  ScheduleContext: scheduleContext,
  ScheduleItem: scheduleItem,
  SharedState: sharedState,
  StartupSummary: startupSummary,
  Subscription: subscription,
  Task: task,
  TrustSignals: trustSignals,
};

/** What appears in many places of the document has a name there. */
export function namedSchemas(): NamedSchemas {
  const named = new NamedSchemas();
  for (const [name, schema] of Object.entries(ANSWERED)) named.add(name, schema, 'output');
  named.add('SentCapsule', continuityCapsule, 'input');
  return named;
}
