/** Beside a refusal: where an agent reads what it means and how to go on. */
export const helpLink = (code: string): { readonly Link: string } => ({
  Link: `</v1/help/errors/${code}>; rel="help"`,
});
