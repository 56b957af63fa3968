/** Wakes of another protocol that an agent may ask for on its stream. */
export interface WakeFeed {
  /** Sends what waits and what comes, each as one complete frame, until the returned function is called. */
  open(agent: string, send: (frame: string) => void): () => void;
}

/** By the word that asks for them. Nobody who does not ask gets any. */
export type WakeFeeds = Readonly<Partial<Record<'rooms' | 'messages' | 'cues' | 'handoffs', WakeFeed>>>;
