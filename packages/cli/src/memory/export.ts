import type { ExportResult } from '@parley/server/continuity/git/export';
import { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { printJson, printLine } from '../output.ts';
import { harmlessLine } from '../harmless.ts';
import {
  addStoreOptions,
  type OwnedStore,
  STORE_HELP,
  type StoreOptions,
  withStore,
} from './store-access.ts';

interface ExportCommandOptions extends StoreOptions {
  readonly git: string;
}

const HELP = `
One commit for each revision, with its author, time and message, on the branch main; what the folder has already is not
written again. The folder must be missing, empty, or an earlier export of the same owner.
${STORE_HELP}

Exit codes: 0 written, 1 failed or refused, 2 wrong configuration, 3 no such owner`;

/** `parley memory export --git DIR --owner SLUG` */
export function exportCommand(): Command {
  return addStoreOptions(
    new Command('export')
      .description('write the memory of an owner into a git repository')
      .requiredOption('--git <folder>', 'the repository, made if it is missing'),
  )
    .addHelpText('after', HELP)
    .action(async (options: ExportCommandOptions) => {
      const result = await withStore(options, 'read', (store) => runExport(store, options.git));
      if (options.json) printJson(asJson(result));
      else for (const line of asText(result)) printLine(line);
    });
}

async function runExport({ config, database, owner }: OwnedStore, directory: string): Promise<ExportResult> {
  const [{ exportMemory }, { GitProgram }, { ExportRefused, GitError }, { systemClock }] = await Promise.all([
    import('@parley/server/continuity/git/export'),
    import('@parley/server/continuity/git/git-program'),
    import('@parley/server/continuity/git/errors'),
    import('@parley/server/platform/clock'),
  ]);
  const git = new GitProgram({ program: config.gitProgram, clock: systemClock });
  try {
    return await exportMemory({ database, git, owner, directory });
  } catch (error) {
    if (error instanceof ExportRefused) {
      throw new CliError('refused', `parley: ${error.message}`, { cause: error });
    }
    if (error instanceof GitError) {
      throw new CliError(`git_${error.fault}`, `parley: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

function asJson({ directory, commits, tip, workTree }: ExportResult): object {
  return {
    directory,
    commits,
    tip: tip ?? null,
    work_tree: workTree.state,
    ...(workTree.state === 'left' && { reason: workTree.reason, left: workTree.paths }),
  };
}

const SHOWN = 10;

function asText({ directory, commits, tip, workTree }: ExportResult): string[] {
  const what = commits === 0 ? 'nothing new for' : `${commits} ${commits === 1 ? 'commit' : 'commits'} into`;
  const lines = [`${what} ${directory}${tip ? ` (main is ${tip.slice(0, 10)})` : ''}`];
  if (workTree.state !== 'left') return lines;
  const more = workTree.paths.length - SHOWN;
  return [
    ...lines,
    `the files there were left as they are: ${workTree.reason}`,
    ...workTree.paths.slice(0, SHOWN).map((path) => `  ${harmlessLine(path)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    `put them right (git -C ${directory} restore . gives them up), then export again`,
  ];
}
