/** Puts values into the `{{UPPER_CASE}}` places of a template. Inserted text is taken as it is and not filled again. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{([A-Z_]+)\}\}/g, (place, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the template has no value for ${place}`);
    return value;
  });
}
