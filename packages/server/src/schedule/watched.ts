/** The tables whose changes others may watch. */
export const scheduleTables = ['schedule_items'] as const;
