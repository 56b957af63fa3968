/** Every path in the tree that Fastify prints of its routes, spelled as in our declarations. */
export function pathsIn(tree: string): string[] {
  const parts: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const found = /^(.*?)[├└]── (\S+) \(/.exec(line);
    if (!found) return [];
    const [, indent = '', label = ''] = found;
    parts.length = indent.length / 4;
    parts.push(label);
    return [parts.join('').replaceAll(/:(\w+)/g, '{$1}')];
  });
}
