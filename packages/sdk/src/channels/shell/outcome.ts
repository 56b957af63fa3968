/** What a command gives back to the shell function that ran it. */
export interface Outcome {
  /** Exit status. */
  code: number;
  /** For stdout, as it is. */
  text: string;
}
