import type { Command } from 'commander';
import { nodeSettings, readConfigFile } from '../../settings/index.ts';
import { collectImages } from '../../images/index.ts';
import { openImages } from '../image/open-images.ts';
import { type Collected, collectGarbage } from '../../apiserver/index.ts';
import { DEFAULT_NAMESPACE, EXIT } from '../../api/index.ts';
import { endStrayProcesses } from '../../engine/index.ts';
import { localProcesses, removeFifos } from '../../runtime/index.ts';
import { fifoFolder, StoreGarbage } from '../../store/index.ts';
import { countOption } from '../flags/options.ts';
import { type DryRun, dryRunOption, dryRunSuffix } from '../change/change-line.ts';
import { openStore } from '../base/environment.ts';
import { outputOption } from '../select/selection-flags.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { withWaitingLine } from '../waiting/wait-progress.ts';

interface GcFlags {
  readonly keep: number;
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly dryRun: DryRun;
  readonly output: 'name' | undefined;
}

/** The default of --keep. The history of a Pod holds as many runs. */
const KEPT = 10;

const EXAMPLES = `
podrun gc removes:
  - ended Pods except the newest ten (--keep), evicted Pods first, with their logs and volumes
  - earlier runs of each Pod except the newest (--keep); all runs of Pods that were deleted
  - volumes of deleted claims, and events about deleted Pods
  - leftovers of killed podruns: processes (their Pods become Failed, with the reason NodeLost),
    half-written files, locks, sockets, FIFOs, changed copies of the root file system; processes of Pods
    in the background and of their networks that no record names
  - images unused for 30 days, and more while the disk is too full
podrun gc keeps Pods that a living podrun runs, and Pods with finalizers.

Examples:
  podrun gc                         # in the namespace default
  podrun gc -A --keep 0             # all ended Pods, in all namespaces
  podrun gc --dry-run               # only print what would be removed
`;

/** `podrun gc`: removes Pods that have ended, and leftovers. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('gc')
    .summary('Remove ended Pods and leftovers')
    .description('Removes ended Pods except the newest, and leftovers of podruns that were killed.')
    .usage('[flags]')
    .addOption(
      countOption('--keep <number>', 'the number of ended Pods to keep, and of earlier runs of each Pod').default(KEPT),
    )
    .option('-n, --namespace <name>', 'namespace to clean up (default: "default")')
    .option('-A, --all-namespaces', 'clean up all namespaces', false)
    .addOption(dryRunOption('only print what would be removed'))
    .addOption(outputOption<'name'>(['name']))
    .addHelpText('after', EXAMPLES)
    .action((flags: GcFlags) => run((cli) => gc(cli, flags)));
}

async function gc(cli: Cli, flags: GcFlags): Promise<number> {
  const { clock } = cli;
  const store = openStore(cli);
  let count = 0;
  const collect = (): Promise<void> =>
    collectGarbage({
      store,
      garbage: new StoreGarbage(store.root, localProcesses),
      clock,
      namespace: flags.allNamespaces ? undefined : flags.namespace || DEFAULT_NAMESPACE,
      keep: flags.keep,
      dryRun: flags.dryRun !== 'none',
      onRemoved: (collected) => {
        count += 1;
        cli.tell(flags.output === 'name' ? nameLine(collected) : collectedLine(collected, flags.dryRun), flags.output);
      },
    });
  await withWaitingLine(cli, 'looking for ended Pods and leftovers', collect);
  await withWaitingLine(cli, 'looking for unused images', () =>
    collectImages(openImages(cli), {
      settings: nodeSettings(readConfigFile({ cwd: cli.cwd })).imageSettings.garbage,
      nowMs: clock.now().wallMs,
      isDryRun: flags.dryRun !== 'none',
      onRemoved: (name) => {
        count += 1;
        const line = `image "${name}" deleted${dryRunSuffix(flags.dryRun)}\n`;
        cli.tell(flags.output === 'name' ? `${name}\n` : line, flags.output);
      },
    }),
  );
  const strays = await withWaitingLine(cli, 'looking for leftover processes', () =>
    endStrayProcesses(store, clock, { isDryRun: flags.dryRun !== 'none' }),
  );
  if (strays > 0 && flags.output === undefined) cli.tell(straysLine(strays, flags.dryRun));
  count += strays;
  if (flags.dryRun === 'none') await removeFifos(fifoFolder(store.root));
  if (count === 0 && flags.output === undefined) cli.tell('Nothing to remove\n');
  return EXIT.ok;
}

function straysLine(count: number, dryRun: DryRun): string {
  const what = count === 1 ? '1 background process' : `${count} background processes`;
  return `${what} without a record ended${dryRunSuffix(dryRun)}\n`;
}

/** The line of `kubectl delete`. */
function collectedLine(collected: Collected, dryRun: DryRun): string {
  const { namespace, name } = collected;
  const note = dryRunSuffix(dryRun);
  if (collected.type === 'lost') {
    const why = `podrun (process ${collected.agentPid}), which ran it, was killed`;
    return `pod "${name}" ended in ${namespace} namespace: ${why}${note}\n`;
  }
  const what = {
    pod: `pod "${name}"`,
    event: `event "${name}"`,
    run: `an earlier run of pod "${name}"`,
    volume: `the volume of persistentvolumeclaim "${name}"`,
  }[collected.type];
  return `${what} deleted${note}\n`;
}

/** The name of an object, or the path of a folder below the state folder. */
function nameLine(collected: Collected): string {
  if (collected.type === 'run' || collected.type === 'volume') return `${collected.path}\n`;
  return `${collected.type === 'event' ? 'event' : 'pod'}/${collected.name}\n`;
}
