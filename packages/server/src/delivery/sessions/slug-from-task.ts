/**
 * The slug a task name stands for, by convention `<owner>-<slug>-<label>-live`. Each part that is there is
 * dropped; a drop that would leave nothing is undone.
 */
export function slugFromTask(taskName: string, ownerSlug: string, label: string | null): string {
  const labels = [label === null ? '' : dashed(label), 'main'].filter((name) => name !== '');
  const drops: readonly ((text: string) => string)[] = [
    (text) => withoutSuffix(text, ['live', 'bg', 'background']),
    (text) => withoutSuffix(text, labels),
    (text) => (text.startsWith(`${ownerSlug}-`) ? text.slice(ownerSlug.length + 1) : text),
  ];
  return drops.reduce((text, drop) => drop(text) || text, dashed(taskName));
}

const dashed = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');

/** Drops the first of the names that the text ends with. */
function withoutSuffix(text: string, names: readonly string[]): string {
  const name = names.find((candidate) => text.endsWith(`-${candidate}`));
  return name === undefined ? text : text.slice(0, -name.length - 1);
}
