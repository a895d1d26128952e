import type { Container, PodTemplateSpec } from '../../../api/index.ts';
import { describeContainer } from '../container.ts';
import { line } from '../line.ts';
import { describeAnnotations, describeLabels } from '../metadata.ts';
import { describeSpread, describeTolerations } from '../scheduling.ts';
import { describeVolumes } from '../volumes.ts';

/** The block `Pod Template:` of a workload. Source: describe.go, DescribePodTemplate. */
export function describeTemplate(template: PodTemplateSpec | undefined): string[] {
  const { metadata = {}, spec } = template ?? {};
  const { initContainers = [], containers = [], volumes, nodeSelector, priorityClassName } = spec ?? {};
  return [
    line(0, 'Pod Template:'),
    ...describeLabels('  Labels', metadata.labels),
    ...(Object.keys(metadata.annotations ?? {}).length === 0
      ? []
      : describeAnnotations(metadata.annotations, '  Annotations')),
    ...(spec?.serviceAccountName ? [line(1, 'Service Account:', spec.serviceAccountName)] : []),
    ...(initContainers.length === 0 ? [] : describeContainers('Init Containers', initContainers)),
    ...describeContainers('Containers', containers),
    ...describeVolumes(volumes, '  '),
    ...describeSpread(spec, '  '),
    ...(priorityClassName ? [line(1, 'Priority Class Name:', priorityClassName)] : []),
    ...describeLabels('  Node-Selectors', nodeSelector),
    ...describeTolerations(spec, '  '),
  ];
}

function describeContainers(title: string, containers: readonly Container[]): string[] {
  return [line(1, `${title}:`), ...containers.flatMap((container) => describeContainer(container))];
}
