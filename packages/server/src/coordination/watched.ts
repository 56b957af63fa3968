/** The tables whose changes others may watch. */
export const coordinationTables = ['coordination_artifacts'] as const;
