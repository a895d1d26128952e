import type { Container, StoredPod } from '../../api/index.ts';
import { chooseDefaultContainer, containerNames, containerSpec } from '../../lifecycle/index.ts';
import type { LogsRequest } from './logs-request.ts';
import { checkContainer } from '../select/pod-argument.ts';
import type { Cli } from '../base/cli.ts';

/** The containers whose logs are shown. Prints a note when the default container is chosen. */
export function loggedContainers(cli: Cli, pod: StoredPod, { container, allContainers }: LogsRequest): string[] {
  if (allContainers) return containerNames(pod.spec);
  if (container === undefined) {
    const { name, note: remark } = chooseDefaultContainer(pod);
    if (remark !== undefined) cli.note(remark.trimEnd());
    return [name];
  }
  checkContainer(pod, container);
  return [container];
}

/** The same for logs of hooks and probes. Leaves out containers without hooks and exec probes. */
export function hookLoggedContainers(cli: Cli, pod: StoredPod, { container, allContainers }: LogsRequest): string[] {
  const speaking = containerNames(pod.spec).filter((name) => speaksThroughHandlers(containerSpec(pod, name)));
  if (container !== undefined) {
    checkContainer(pod, container);
    return speaking.filter((name) => name === container);
  }
  if (allContainers || speaking.length < 2) return speaking;
  const { name } = chooseDefaultContainer(pod);
  const chosen = speaking.includes(name) ? [name] : speaking.slice(0, 1);
  cli.note(`Defaulted container "${chosen.join()}" out of: ${speaking.join(', ')}`);
  return chosen;
}

/** The message when no container of these Pods has a hook or exec probe. */
export function noHooks(pods: readonly StoredPod[], { container }: LogsRequest): string {
  const names = pods.map(({ metadata }) => metadata.name).join(', ');
  const where = container === undefined ? `pod ${names}` : `container ${container} of pod ${names}`;
  return `No hooks and no exec probes in ${where}.\n`;
}

/** True when the container has a hook, or an exec probe. */
function speaksThroughHandlers({ lifecycle, startupProbe, livenessProbe, readinessProbe }: Container): boolean {
  if (lifecycle?.postStart !== undefined || lifecycle?.preStop !== undefined) return true;
  return [startupProbe, livenessProbe, readinessProbe].some((probe) => probe?.exec !== undefined);
}
