/**
 * One thing that happened in a topic. Sequences grow within a topic but may have gaps, so each event names its
 * predecessor: that is how a subscriber sees that something is missing between two events it was handed.
 */
export interface StreamEvent {
  readonly seq: number;
  /** The sequence of the event before this one in the same topic, 0 when it is the first. */
  readonly prev: number;
}

/** Reads a topic's events after a cursor, oldest first, at most `limit`. Fewer than `limit` means: there are no more. */
export interface StreamSource<Event extends StreamEvent> {
  read(after: number, limit: number): Promise<readonly Event[]>;
}
