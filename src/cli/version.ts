import type { Command } from 'commander';
import { EXIT } from '../api/errors.ts';
import { version } from '../run/version.ts';
import { StandardOutput } from './standard-output.ts';

/** The Kubernetes whose behaviour podrun shows. */
const KUBERNETES_VERSION = 'v1.36.2';

export function registerVersion(program: Command, done: (exitCode: number) => void): void {
  program
    .command('version')
    .summary('Print the version')
    .description('Prints the version of podrun, and of the Kubernetes that it follows.')
    .usage('[flags]')
    .addHelpText('after', '\nExamples:\n  podrun version\n')
    .action(() => {
      new StandardOutput().write(`podrun v${version}\nKubernetes: ${KUBERNETES_VERSION}\n`);
      done(EXIT.ok);
    });
}
