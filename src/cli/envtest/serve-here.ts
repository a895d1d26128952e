import path from 'node:path';
import { usage } from '../../api/index.ts';
import { modeIn, suiteVersion } from '../../envtest/index.ts';
import type { Cli } from '../base/cli.ts';
import { listenForSignals } from '../base/signals.ts';

/** The flags of `envtest serve`. */
export interface EnvtestServeFlags {
  readonly json?: true;
  /** A flag of `envtest` alone. */
  readonly print?: string;
  /** The version of Kubernetes. */
  readonly version?: string;
  readonly crds: readonly string[];
}

/** `podrun envtest serve`: an API server for suites in any language, until the suite ends. */
export async function serveHere(cli: Cli, { json, crds, version, print }: EnvtestServeFlags): Promise<number> {
  if (cli.line.command !== undefined)
    throw usage('podrun envtest serve runs no COMMAND', 'podrun envtest -- COMMAND runs a suite that uses envtest.');
  if (print !== undefined) throw usage('podrun envtest serve has no flag --print');
  const mode = modeIn(cli.env);
  const dialect = suiteVersion(cli.env, version);
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  const signals = listenForSignals(cli, stop);
  const end = json === true ? Promise.race([stopped, inputOver(cli)]) : stopped;
  const { serveSuite } = await import('../../envtest/suite/serve-suite.ts');
  return serveSuite({
    mode,
    dialect,
    crds: crds.map(cli.pathOf),
    clock: cli.clock,
    env: cli.env,
    descriptionsFile: path.join(cli.folder, 'descriptions.json'),
    report: (line) => cli.stderr.write(`${line}\n`),
    end,
    onReady: ({ url, ca, token, admin: { certificate, key, kubeconfig } }) => {
      if (json === true) {
        cli.stdout.write(`${JSON.stringify({ url, ca, certificate, key, token, kubeconfig })}\n`);
        return;
      }
      cli.stdout.write(`export KUBECONFIG='${kubeconfig}'\n`);
      cli.note(`serving ${url}; Ctrl-C ends the server and removes its objects`);
    },
  }).finally(() => signals.close());
}

/** Resolves when standard input ends: its writer is gone, or has closed it. */
function inputOver({ stdin }: Cli): Promise<void> {
  return new Promise((resolve) => {
    for (const how of ['end', 'close', 'error']) stdin.once(how, () => resolve());
    stdin.resume();
  });
}
