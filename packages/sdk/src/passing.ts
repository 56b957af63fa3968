/** The server is in trouble of its own: what was asked may have been done all the same. */
export const isTrouble = (status: number): boolean => status >= 500;

/** Trying the same again later may work. */
export const mayPass = (status: number): boolean => status === 429 || isTrouble(status);
