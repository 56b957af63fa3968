/** The folder of this package. It is the same from `src/`, from `dist/` and from the bundle that serves, two levels down each. */
const PACKAGE = new URL('../../', import.meta.url);

/** Where a file of the package lies that is read as it is: a template, a page. */
export const packageFile = (path: string): URL => new URL(path, PACKAGE);
