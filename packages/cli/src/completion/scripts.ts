import { printLine } from '../output.ts';

/** Names of others are among the words: what a shell expands, as the list of `compgen -W`, would run a command that stands in one. */
const BASH = `_parley() {
  local found
  COMPREPLY=()
  while IFS= read -r found; do
    COMPREPLY+=("$(printf '%q' "$found")")
  done < <(parley __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _parley parley`;

const ZSH = `#compdef parley
_parley() {
  local -a found
  found=(\${(f)"$(parley __complete -- "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)"})
  compadd -a found
}
compdef _parley parley`;

const FISH = `function __parley_complete
  set -l words (commandline -opc) (commandline -ct)
  parley __complete -- $words[2..-1] 2>/dev/null
end
complete -c parley -f -a '(__parley_complete)'`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export function printScript(shell: string): void {
  printLine(SCRIPTS[shell] ?? '');
}
