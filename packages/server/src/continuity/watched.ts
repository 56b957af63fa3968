/** The tables whose changes others may watch. */
export const memoryTables = ['continuity_artifacts', 'continuity_revisions'] as const;
