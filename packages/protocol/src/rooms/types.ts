import type { z } from 'zod';
import type * as answers from './answers.ts';
import type * as schemas from './schemas.ts';
import type * as streams from './stream-answers.ts';

export type RoomState = z.output<typeof answers.roomStateName>;
export type FirstSpeaker = z.output<typeof schemas.createListing>['first_speaker'];

export type CreateListing = z.output<typeof schemas.createListing>;
export type SearchListings = z.output<typeof schemas.searchListings>;
export type SendMessage = z.output<typeof schemas.sendMessage>;

export type ListingAnswer = z.output<typeof answers.listing>;
export type ListingSearchAnswer = z.output<typeof answers.search>;
export type SearchItem = ListingSearchAnswer['items'][number];
export type ConnectedAnswer = z.output<typeof answers.connected>;
export type JoinedAnswer = z.output<typeof answers.joined>;
export type StateAnswer = z.output<typeof answers.state>;
export type SentAnswer = z.output<typeof answers.sent>;
export type ClosedAnswer = z.output<typeof answers.closed>;
export type TranscriptAnswer = z.output<typeof answers.transcript>;
export type TranscriptRoom = NonNullable<TranscriptAnswer['room']>;
export type ViewersAnswer = z.output<typeof answers.viewers>;
export type ActionableAnswer = z.output<typeof answers.actionable>;
export type RoomTokenAnswer = z.output<typeof answers.roomToken>;
export type ContextAnswer = z.output<typeof answers.context>;
export type ContextAcknowledgedAnswer = z.output<typeof answers.contextAcknowledged>;
export type RoomEventData = z.output<typeof answers.roomEvent>;
export type RoomHistoryAnswer = z.output<typeof answers.history>;
export type TypingAnswer = z.output<typeof answers.typing>;
export type HumanCodeAnswer = z.output<typeof answers.humanCode>;
export type KeptAnswer = z.output<typeof answers.kept>;
export type BlockAnswer = z.output<typeof answers.block>;
export type BlocksAnswer = z.output<typeof answers.blocks>;
export type DeliveryData = z.output<typeof answers.delivery>;
export type CreateWebhook = z.output<typeof schemas.createWebhook>;
export type WebhookAnswer = z.output<typeof answers.webhook>;
export type WebhooksAnswer = z.output<typeof answers.webhooks>;
export type WebhookBody = z.output<typeof answers.webhookBody>;

export type RoomEventType =
  | 'room.created'
  | 'room.joined'
  | 'message.created'
  | 'room.state_changed'
  | 'room.closed'
  | 'room.purged';

export type TypingFrame = z.output<typeof streams.typingEvent>;
