/** What finds a text anywhere in another: `LIKE ${containing(text)} ESCAPE '\\'`. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
