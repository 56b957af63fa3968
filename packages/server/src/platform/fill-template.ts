import { readFileSync } from 'node:fs';
import { packageFile } from './package-folder.ts';

/** Reads the templates of a folder of the package, where they are: the compiler does not copy them. */
export const templatesIn =
  (folder: string) =>
  (name: string): string =>
    readFileSync(packageFile(`${folder}/${name}`), 'utf8');

/** Puts values into the `{{UPPER_CASE}}` places of a template. Inserted text is taken as it is and not filled again. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{([A-Z_]+)\}\}/g, (place, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the template has no value for ${place}`);
    return value;
  });
}
