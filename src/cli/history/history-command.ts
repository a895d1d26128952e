import { EXIT, PodrunError } from '../../api/errors.ts';
import { DEFAULT_NAMESPACE } from '../../api/objects.ts';
import { SystemClock } from '../../clock.ts';
import { renderRuns, type RunRow, runRecord } from '../../print/run-table.ts';
import { RecordedRuns } from '../../store/recorded-runs.ts';
import { displayNowMs, openStore } from '../environment.ts';
import { podArgument } from '../select/pod-argument.ts';
import { StandardOutput } from '../standard-output.ts';
import type { HistoryFlags } from './history.ts';
import { note } from '../preferences.ts';

/** `podrun history`: flags in, exit code out. */
export async function history(words: readonly string[], flags: HistoryFlags): Promise<number> {
  const names = words.map((word) => podArgument(word, (plural) => `there is no history of ${plural}, only of Pods`));
  if (names.length > 0 && flags.allNamespaces) {
    throw new PodrunError('error: a resource cannot be retrieved by name across all namespaces', {
      exitCode: EXIT.usage,
    });
  }
  const clock = new SystemClock();
  const runs = new RecordedRuns(openStore(flags.stateDir, clock));
  const namespace = flags.allNamespaces ? undefined : flags.namespace || DEFAULT_NAMESPACE;
  const found = names.length === 0 ? runs.list({ namespace }) : names.flatMap((name) => runsOf(runs, namespace, name));
  new StandardOutput().write(render(found, flags, displayNowMs(clock)));
  if (found.length === 0) {
    const where = namespace === undefined ? '' : ` in ${namespace} namespace`;
    note(`No runs found${where}.`);
  }
  return EXIT.ok;
}

function runsOf(runs: RecordedRuns, namespace: string | undefined, name: string): RunRow[] {
  const found = runs.list({ namespace, name });
  if (found.length > 0) return found;
  throw runs.unknownPod(namespace, name);
}

function render(runs: readonly RunRow[], { output, headers, allNamespaces }: HistoryFlags, nowMs: number): string {
  if (output === 'name') return runs.map(({ run }) => `${run}\n`).join('');
  if (output === 'json') return runs.map((row) => `${JSON.stringify(runRecord(row, nowMs))}\n`).join('');
  return renderRuns(runs, nowMs, { noHeaders: !headers, allNamespaces });
}
