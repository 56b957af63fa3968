/** For each state where an event leads from there. */
type Table<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>;

/** What the rules ask of such a table. */
export function stateMachine<State extends string, Event extends string>(table: Table<State, Event>) {
  const isState = (name: string): name is State => name in table;
  const names = Object.keys(table).filter(isState);
  /** Undefined when the event changes nothing in this state. */
  const next = (state: State, event: Event): State | undefined => table[state][event];
  const takes = (state: State, event: Event): boolean => next(state, event) !== undefined;
  /** The states an event can be applied in, for a compare-and-set. */
  const taking = (event: Event): State[] => names.filter((state) => takes(state, event));
  /** Where an event leads, for what moves many at once or begins there. */
  const after = (event: Event): State => {
    const [to, ...others] = new Set(taking(event).map((state) => next(state, event)));
    if (to === undefined || others.length > 0) throw new TypeError(`${event} leads to no one state`);
    return to;
  };
  return { names, next, takes, taking, after };
}
