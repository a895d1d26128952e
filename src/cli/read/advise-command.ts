import { EXIT, PodrunError } from '../../api/errors.ts';
import { DEFAULT_NAMESPACE, type StoredPod } from '../../api/objects.ts';
import { SystemClock } from '../../clock.ts';
import { advise, type Advised } from '../../history/advise/advise.ts';
import { patchOf } from '../../history/advise/patch.ts';
import { renderAdvice, renderAdviceJson } from '../../print/advice.ts';
import { formatYaml } from '../../print/yaml.ts';
import { RecordedRuns } from '../../store/recorded-runs.ts';
import { openStore } from '../environment.ts';
import { note } from '../preferences.ts';
import { podArgument } from '../select/pod-argument.ts';
import { StandardOutput } from '../standard-output.ts';
import { painterFor } from '../view/painter-for.ts';
import type { AdviseFlags } from './advise.ts';

/** `podrun advise`: flags in, exit code out. */
export async function adviseCommand(word: string, flags: AdviseFlags): Promise<number> {
  const name = podArgument(word, (plural) => `there is no advice on ${plural}, only on Pods`);
  const runs = new RecordedRuns(openStore(flags.stateDir, new SystemClock()));
  const found = runs.find(flags.namespace || DEFAULT_NAMESPACE, name);
  const advised = advise(runs.read(found), runs.readUsage(found));
  if (advised === undefined) throw new PodrunError(`error: of the run ${found.run} nothing is on record`);
  const text = await render(found.run, found.pod, advised, flags);
  if (text === '') note(`${found.run}: nothing to change in the manifest`);
  new StandardOutput().write(text);
  return EXIT.ok;
}

async function render(
  run: string,
  pod: StoredPod,
  advised: Advised,
  { output = 'text' }: AdviseFlags,
): Promise<string> {
  if (output === 'json') return renderAdviceJson(run, advised);
  if (output === 'text') return renderAdvice(run, advised, await painterFor('stdout'));
  const patch = patchOf(pod, advised.advice);
  return patch === undefined ? '' : formatYaml(patch);
}
