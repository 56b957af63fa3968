import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Every TypeScript file of every package, as a path below the root of the repository. */
export const sources = (root) => filesOf(root, /\.tsx?$/);

/** Every style sheet of every package. */
export const styles = (root) => filesOf(root, /\.css$/);

function filesOf(root, wanted) {
  return readdirSync(join(root, 'packages')).flatMap((name) => {
    const folder = join('packages', name, 'src');
    if (!existsSync(join(root, folder))) return [];
    const files = readdirSync(join(root, folder), { recursive: true });
    return files.filter((file) => wanted.test(file)).map((file) => join(folder, file));
  });
}
