import type { ProbeAttempt } from '../../lifecycle/probes/probe-attempt.ts';
import type { Lapse } from '../../lifecycle/requests/run-outcome.ts';
import { describeEnd, describeExitCode, reasonOfEnd } from '../exit-code.ts';
import { excerpt } from '../excerpt.ts';
import { containersOf, nameContainer } from '../live/container-view.ts';
import { firstCause, killingProbe } from '../live/first-cause.ts';

/** A clause that says what befell a Pod that had reached its goal: `container main exited with code 3`. */
export function whyLapsed({ pod, container }: Lapse, attempts: readonly ProbeAttempt[]): string {
  if (pod.status.phase === 'Unknown') return pod.status.message ?? 'nobody runs it any more';
  const view = containersOf(pod).find((one) => one.container.name === container);
  const { state, lastState, restartCount = 0 } = view?.status ?? {};
  const ended = state?.terminated ?? lastState?.terminated;
  if (pod.status.reason || view === undefined || !ended) return firstCause(pod, attempts);
  const run = state?.running ? restartCount - 1 : restartCount;
  const probe = killingProbe(view.container.name, run, attempts);
  if (probe !== undefined) {
    return `${nameContainer(view)} was killed by its ${probe}, and ended with ${describeExitCode(ended.exitCode)}`;
  }
  const why = reasonOfEnd(ended);
  return `${nameContainer(view)} ${describeEnd(ended)}${why === undefined ? '' : `: ${excerpt(why)}`}`;
}
