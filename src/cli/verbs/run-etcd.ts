import path from 'node:path';
import type { Command } from 'commander';
import { ETCD_COMMAND, modeIn, suiteVersion } from '../../envtest/index.ts';
import { listenForSignals } from '../base/signals.ts';
import type { Cli, RunVerb } from '../base/cli.ts';

/** Registers the hidden command that stands for etcd. Only the scripts of `podrun envtest` call it. */
export function register(program: Command, run: RunVerb): void {
  program.command(ETCD_COMMAND, { hidden: true }).action(() => run(runEtcdHere));
}

async function runEtcdHere(cli: Cli): Promise<number> {
  const mode = modeIn(cli.env);
  const dialect = suiteVersion(cli.env);
  const signal = new Promise<void>((resolve) => void listenForSignals(cli, () => resolve()));
  const { runEtcd } = await import('../../envtest/etcd/run-etcd.ts');
  return runEtcd({
    argv: cli.line.command ?? [],
    clock: cli.clock,
    mode,
    dialect,
    descriptionsFile: path.join(cli.folder, 'descriptions.json'),
    env: cli.env,
    signal,
  });
}
