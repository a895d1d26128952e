import type { Container } from '../../api/generated/types.ts';
import type { StoredPod } from '../../api/objects.ts';
import { containerNames, defaultContainer } from '../../lifecycle/requests/default-container.ts';
import { containerSpec } from '../../lifecycle/observe.ts';
import type { LogsRequest } from './logs-request.ts';
import { checkContainer } from '../select/pod-argument.ts';
import { note } from '../preferences.ts';

/** The containers whose logs are wanted; says which one it is when nobody said it. */
export function loggedContainers(pod: StoredPod, { container, allContainers }: LogsRequest): string[] {
  if (allContainers) return containerNames(pod.spec);
  if (container === undefined) {
    const { name, note: remark } = defaultContainer(pod);
    if (remark !== undefined) note(remark.trimEnd());
    return [name];
  }
  checkContainer(pod, container);
  return [container];
}

/** The same for the logs of hooks and probes: containers that have nothing that could write are left out. */
export function hookLoggedContainers(pod: StoredPod, { container, allContainers }: LogsRequest): string[] {
  const speaking = containerNames(pod.spec).filter((name) => speaksThroughHandlers(containerSpec(pod, name)));
  if (container !== undefined) {
    checkContainer(pod, container);
    return speaking.filter((name) => name === container);
  }
  if (allContainers || speaking.length < 2) return speaking;
  const { name } = defaultContainer(pod);
  const chosen = speaking.includes(name) ? [name] : speaking.slice(0, 1);
  note(`Defaulted container "${chosen.join()}" out of: ${speaking.join(', ')}`);
  return chosen;
}

/** What is said when no container of these Pods could write. */
export function noHooks(pods: readonly StoredPod[], { container }: LogsRequest): string {
  const names = pods.map(({ metadata }) => metadata.name).join(', ');
  const where = container === undefined ? `pod ${names}` : `container ${container} of pod ${names}`;
  return `No hooks and no exec probes in ${where}.\n`;
}

/** Has the container a hook, or a probe that runs a command? */
function speaksThroughHandlers({ lifecycle, startupProbe, livenessProbe, readinessProbe }: Container): boolean {
  if (lifecycle?.postStart !== undefined || lifecycle?.preStop !== undefined) return true;
  return [startupProbe, livenessProbe, readinessProbe].some((probe) => probe?.exec !== undefined);
}
