/** Who we are in a channel. `participantId` and `name` change when a sleeping channel is rejoined. */
export interface Identity {
  channelId: string;
  token: string;
  /** 64 lowercase hex digits. */
  key: string;
  participantId: string;
  name: string;
}

/** The part of an identity that can change. */
export type Membership = Pick<Identity, 'participantId' | 'name'>;
