/** Of the environment what some program may know. */
export const environmentOf = (names: readonly string[]): NodeJS.ProcessEnv =>
  Object.fromEntries(names.map((name) => [name, process.env[name]]));
