import type { Command } from 'commander';
import { append } from '../select/selection-flags.ts';

/** What stands on the command line of `init`, as it was written. */
export interface InitFlags {
  readonly with: readonly string[];
  readonly task: boolean;
  readonly output: string | undefined;
  readonly force: boolean;
}

const EXAMPLES = `
Parts, for --with:
  init        a container that prepares something and ends, before the others start
  sidecar     a container that runs beside the main one, and is stopped after it
  probes      startup, readiness and liveness probe
  hooks       a command that runs before the container is stopped
  volume      a folder that containers share
  configmap   settings as environment variables
  secret      a password as an environment variable
  env         variables with values, and with facts about the Pod
  resources   requests and limits of CPU and memory
  all         all of them

Examples:
  podrun init web > web.yaml
  podrun init web --with probes,sidecar -o web.yaml && podrun apply web.yaml
  podrun init nightly --task --with configmap | podrun apply -
`;

export function registerInit(program: Command, done: (exitCode: number) => void): void {
  program
    .command('init')
    .summary('Write a commented manifest to start from')
    .description('Writes a manifest to start from: it runs as it is, and has a comment about every field.')
    .usage('[NAME] [flags]')
    .argument('[name]', 'name of the Pod', 'app')
    .option('--with <parts>', 'what it is to have, for example probes,sidecar; may be given several times', append, [])
    .option('--task', 'a Pod that does its work and ends, instead of one that serves', false)
    .option('-o, --output <file>', 'write it to this file, which must not exist yet')
    .option('--force', 'with -o: overwrite the file', false)
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, flags: InitFlags) => {
      const { initCommand } = await import('./init-command.ts');
      done(initCommand(name, flags));
    });
}
