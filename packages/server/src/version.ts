import { readFileSync } from 'node:fs';
import { packageFile } from './platform/package-folder.ts';

const manifest = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
  version: string;
};

export const VERSION = manifest.version;
export const SERVICE = 'parley';
