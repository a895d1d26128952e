import { BASH } from './bash-script.ts';
import type { Shell } from './completion.ts';
import { FISH } from './fish-script.ts';
import { ZSH } from './zsh-script.ts';

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, fish: FISH, zsh: ZSH };

/** What a shell has to read to complete command lines of podrun. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}
