import path from 'node:path';
import type { Command } from 'commander';
import { AGENT_COMMAND, type AgentApi, runAgent, type ObjectsForApi } from '../../engine/index.ts';
import { openStore } from '../base/environment.ts';
import type { Unservable } from '../../lifecycle/index.ts';
import type { ApplyListener, BesideOptions } from '../../server/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';

/** Registers the hidden command of a background agent. Only podrun calls it. */
export function register(program: Command, run: RunVerb): void {
  program
    .command(AGENT_COMMAND, { hidden: true })
    .argument('<id>')
    .action((id: string) =>
      run((cli) => {
        const report = (line: string): void => cli.stderr.write(`${line}\n`);
        const store = openStore(cli);
        return runAgent(id, {
          store,
          clock: cli.clock,
          podrun: cli.podrun,
          report,
          openApi: (node, served) => openApi(cli, { store, node, report }, served),
        });
      }),
    );
}

/** Serves the API beside the agent, and stores the first objects. */
async function openApi(
  cli: Cli,
  beside: Pick<BesideOptions, 'store' | 'node' | 'report'>,
  served: ObjectsForApi | undefined,
): Promise<AgentApi> {
  const { openBeside } = await import('../../server/index.ts');
  const descriptionsFile = path.join(cli.folder, 'descriptions.json');
  const server = await openBeside({ ...beside, clock: cli.clock, descriptionsFile });
  const [stored, warnings]: [string[], string[]] = [[], []];
  const refused: Unservable[] = [];
  if (served === undefined) return { stored, warnings, refused, close: server.close };
  const listener: ApplyListener = {
    note: (line) => stored.push(line),
    warn: (text) => warnings.push(text),
    changed: () => undefined,
  };
  const objects = server.objects(served.namespace, listener, served);
  await objects.apply(served.objects);
  for (const { about, reason, place } of [...objects.refused, ...objects.pending])
    refused.push({ about, path: '', message: `${reason} (${place})` });
  objects.close();
  return { stored, warnings, refused, close: server.close };
}
