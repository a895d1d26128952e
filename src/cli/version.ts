import type { Command } from 'commander';
import { EXIT } from '../api/errors.ts';
import { StandardOutput } from './standard-output.ts';

/** Put in by the build, from package.json (esbuild.config.mjs; for the tests vitest.config.ts). */
declare const PODRUN_VERSION: string;

/** Version of podrun, for example `0.1.0`. */
export const version: string = PODRUN_VERSION;

/** The Kubernetes whose behaviour podrun shows. */
const KUBERNETES_VERSION = 'v1.36.2';

export function registerVersion(program: Command, done: (exitCode: number) => void): void {
  program
    .command('version')
    .summary('Print the version')
    .description('Prints the version of podrun, and of the Kubernetes that it follows.')
    .usage('[flags]')
    .action(() => {
      new StandardOutput().write(`podrun v${version}\nKubernetes: ${KUBERNETES_VERSION}\n`);
      done(EXIT.ok);
    });
}
