import type { Command } from 'commander';

/** What stands on the command line of `cp`, as it was written. */
export interface CpFlags {
  readonly container: string | undefined;
  readonly preserve: boolean;
  readonly namespace: string | undefined;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
One side is a path of a container: POD:PATH or NAMESPACE/POD:PATH. The container needs the program tar.

Examples:
  podrun cp config.yaml web:/etc/app/config.yaml
  podrun cp ./site web:/srv -c nginx         # a folder: becomes /srv/site
  podrun cp web:/var/log/app ./logs          # what is in /var/log/app gets into ./logs
  podrun cp staging/web:/var/crash/core core
`;

export function registerCp(program: Command, done: (exitCode: number) => void): void {
  program
    .command('cp')
    .summary('Copy files and folders to and from a container')
    .description('Copies a file, or a folder with all that it holds, to or from a container.')
    .usage('SOURCE TARGET [flags]')
    .argument('[source-and-target...]', 'what to copy, and where')
    .option('-c, --container <name>', 'the container (default: the one of the annotation, else the first)')
    .option('--no-preserve', 'do not keep owners and rights')
    .option('-n, --namespace <name>', 'namespace of the Pod (default: "default")')
    .addHelpText('after', EXAMPLES)
    .action(async (words: readonly string[], flags: Omit<CpFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { cp } = await import('./cp-command.ts');
      done(await cp(words, { ...flags, stateDir }));
    });
}
