/** Tools in the order in which they lead somewhere. */
export const WORKFLOWS = [
  {
    name: 'resume_after_reset',
    description: 'Find out where the work stands, and gather what the next task begins with.',
    tools: ['continuity.list', 'continuity.read', 'context.retrieve'],
  },
  {
    name: 'remember',
    description: 'Compare what is to be kept with what is stored, and store it.',
    tools: ['continuity.read', 'continuity.compare', 'continuity.upsert'],
  },
  {
    name: 'hand_over',
    description: 'Write down the state, then give it to another peer and be reminded to look after it.',
    tools: ['continuity.upsert', 'coordination.handoff_create', 'schedule.create'],
  },
  {
    name: 'take_over',
    description: 'Find what was handed over, read it, and say that it is taken.',
    tools: ['coordination.handoffs_query', 'coordination.handoff_read', 'coordination.handoff_consume'],
  },
] as const;
