import { keyFingerprint } from '@parley/protocol/channels/key';
import type { CryptoSource } from '@parley/protocol/channels/key';
import type { ChannelClient } from './client.ts';
import type { Identity, Membership } from './identity.ts';
import { joinUnderFreeName } from './membership.ts';

export interface SeatStorage {
  /** Called after a rejoin, so that the next run of the program is the same participant. */
  saveIdentity?(membership: Membership): void;
  /** What is stored now: another program of the same participant may have rejoined before us. */
  loadIdentity?(): Membership | undefined;
}

/** Our place in a channel. A sleeping channel forgets its participants, so the place may have to be taken again. */
export class Seat {
  readonly identity: Identity;
  readonly #client: ChannelClient;
  readonly #storage: SeatStorage;
  readonly #crypto: CryptoSource | undefined;
  #generation = 0;
  #rejoining: Promise<void> | undefined;

  constructor(client: ChannelClient, identity: Identity, storage: SeatStorage = {}, crypto?: CryptoSource) {
    this.#client = client;
    this.identity = identity;
    this.#storage = storage;
    this.#crypto = crypto;
  }

  /** Rises with every new membership. */
  get generation(): number {
    return this.#generation;
  }

  fingerprint(): Promise<string> {
    return keyFingerprint(this.identity.key, this.#crypto);
  }

  /** Takes the place again under the same name or the next free one. Calls at the same time share one join. */
  rejoin(): Promise<void> {
    this.#rejoining ??= this.#joinAgain().finally(() => {
      this.#rejoining = undefined;
    });
    return this.#rejoining;
  }

  /** True when another program of ours has rejoined: then its membership is ours now. */
  adoptStored(): boolean {
    const stored = this.#storage.loadIdentity?.();
    if (!stored || stored.participantId === this.identity.participantId) return false;
    this.#become(stored);
    return true;
  }

  async #joinAgain(): Promise<void> {
    if (this.adoptStored()) return;
    const { channelId, token, name } = this.identity;
    const request = { token, name, key_fp: await this.fingerprint() };
    const joined = await joinUnderFreeName(this.#client, channelId, request);
    this.#become({ participantId: joined.answer.participant_id, name: joined.name });
    this.#storage.saveIdentity?.({ participantId: this.identity.participantId, name: this.identity.name });
  }

  #become(membership: Membership): void {
    this.identity.participantId = membership.participantId;
    this.identity.name = membership.name;
    this.#generation++;
  }
}
