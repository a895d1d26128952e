import type { AutoscalingV2HorizontalPodAutoscalerSpec, Container, KubeObject } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { podIn } from '../base/pod-specs.ts';
import type { LooseText } from './selectable-pods.ts';

/**
 * The percentages of an autoscaler that have no meaning: they are of requests, which a container of its target lacks.
 * @param objects the objects of the same namespace
 */
export function looseInAutoscaler(autoscaler: KubeObject, objects: readonly KubeObject[]): LooseText[] {
  const { spec = {} } = autoscaler as KubeObject & {
    readonly spec?: Decoded<AutoscalingV2HorizontalPodAutoscalerSpec>;
  };
  const { kind, name } = spec.scaleTargetRef ?? {};
  const target = objects.find((object) => object.kind === kind && object.metadata.name === name);
  const pod = target && podIn(target)?.pod;
  if (pod === undefined) return [];
  const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const containers = [...sidecars, ...(pod.spec?.containers ?? [])];
  return (spec.metrics ?? []).flatMap(({ resource, containerResource }, index) => {
    const metric = resource ?? containerResource;
    const wanted = metric?.name;
    if (wanted === undefined || metric?.target?.averageUtilization === undefined) return [];
    const counted =
      containerResource === undefined ? containers : containers.filter(isNamed(containerResource.container));
    const lacking = counted.filter((container) => !requests(container, wanted)).map((container) => container.name);
    if (lacking.length === 0) return [];
    const field = resource === undefined ? 'containerResource' : 'resource';
    const path = `spec.metrics[${index}].${field}.target.averageUtilization`;
    const who = `${lacking.join(', ')} of ${kind}/${name}`;
    const message = `a percentage of requests, but ${who} has no request for ${wanted}`;
    return [{ path, message, hint: `set resources.requests.${wanted}` }];
  });
}

const isNamed =
  (name: string | undefined) =>
  (container: Decoded<Container>): boolean =>
    container.name === name;

/** True when the container requests the resource. An API server takes a limit for the request where there is none. */
function requests({ resources = {} }: Decoded<Container>, name: string): boolean {
  return resources.requests?.[name] !== undefined || resources.limits?.[name] !== undefined;
}
