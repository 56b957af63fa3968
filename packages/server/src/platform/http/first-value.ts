/** A header or a parameter that is given twice counts as its first value. */
export const firstValue = (given: string | string[] | undefined): string | undefined =>
  Array.isArray(given) ? given[0] : given;
