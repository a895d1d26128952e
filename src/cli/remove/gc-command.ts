import { DEFAULT_NAMESPACE } from '../../api/objects.ts';
import { type Collected, collectGarbage } from '../../agent/clean-up/collect-garbage.ts';
import { EXIT } from '../../api/errors.ts';
import { SystemClock } from '../../clock.ts';
import { removeFifos } from '../../runtime/fifo-pool.ts';
import { localProcesses } from '../../runtime/process-identity.ts';
import { StoreGarbage } from '../../store/garbage.ts';
import { fifoFolder } from '../../store/layout.ts';
import { openStore } from '../environment.ts';
import type { GcFlags } from './gc.ts';
import { type BusyLine, busyWith } from '../waiting/busy-line.ts';
import { StandardOutput } from '../standard-output.ts';

/** `podrun gc`: flags in, exit code out. */
export async function gc(flags: GcFlags): Promise<number> {
  const clock = new SystemClock();
  const store = openStore(flags.stateDir, clock);
  const out = new StandardOutput();
  let count = 0;
  const collect = (line: BusyLine): Promise<void> =>
    collectGarbage({
      store,
      garbage: new StoreGarbage(store.root, localProcesses),
      clock,
      namespace: flags.allNamespaces ? undefined : flags.namespace || DEFAULT_NAMESPACE,
      keep: flags.keep,
      dryRun: flags.dryRun !== 'none',
      tell: (collected) => {
        count += 1;
        line.clear();
        out.tell(flags.output === 'name' ? nameLine(collected) : collectedLine(collected, flags.dryRun), flags.output);
      },
    });
  await busyWith(clock, () => 'looking for what nobody needs any more', collect);
  if (flags.dryRun === 'none') removeFifos(fifoFolder(store.root));
  if (count === 0 && flags.output === undefined) out.tell('Nothing to remove\n');
  return EXIT.ok;
}

/** As `kubectl delete` says it. */
function collectedLine(collected: Collected, dryRun: GcFlags['dryRun']): string {
  const { namespace, name } = collected;
  const note = { none: '', client: ' (dry run)', server: ' (server dry run)' }[dryRun];
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
  return `${what} deleted from ${namespace} namespace${note}\n`;
}

/** An object by its name, a folder by its path below the state folder. */
function nameLine(collected: Collected): string {
  if (collected.type === 'run' || collected.type === 'volume') return `${collected.path}\n`;
  return `${collected.type === 'event' ? 'event' : 'pod'}/${collected.name}\n`;
}
