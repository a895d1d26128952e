import {
  compareText,
  type Container,
  type PodSpec,
  type PodTemplateSpec,
  selectorText,
  type Toleration,
  type TopologySpreadConstraint,
} from '../../api/index.ts';
import { describeContainer } from './container.ts';
import { describeAnnotations, describeLabels, keyedLines, line } from './lines.ts';
import { describeVolumes } from './volumes.ts';

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

/** The lines `Tolerations:`, sorted by key. `margin` stands in front of the title. */
export function describeTolerations(spec: PodSpec | undefined, margin: string = ''): string[] {
  const tolerations = (spec?.tolerations ?? []).toSorted((a, b) => compareText(a.key ?? '', b.key ?? ''));
  return keyedLines(`${margin}Tolerations`, tolerations.map(tolerationText), 0);
}

/** The lines `Topology Spread Constraints:`, if there are any, sorted by key. `margin` stands in front of the title. */
export function describeSpread(spec: PodSpec | undefined, margin: string = ''): string[] {
  const spread = (spec?.topologySpreadConstraints ?? []).toSorted((a, b) => compareText(a.topologyKey, b.topologyKey));
  return spread.length === 0 ? [] : keyedLines(`${margin}Topology Spread Constraints`, spread.map(spreadText), 0);
}

function tolerationText({ key, value, effect, operator, tolerationSeconds }: Toleration): string {
  const subject = `${key ?? ''}${value ? `=${value}` : ''}${effect ? `:${effect}` : ''}`;
  const parts = [
    ...(key || value || effect ? [subject] : []),
    ...(operator === 'Exists' && !value ? ['op=Exists'] : []),
  ];
  // The API contains null for "for ever".
  const seconds = tolerationSeconds ?? undefined;
  return `${parts.join(' ')}${seconds === undefined ? '' : ` for ${seconds}s`}`;
}

function spreadText({ topologyKey, whenUnsatisfiable, maxSkew, labelSelector }: TopologySpreadConstraint): string {
  const selector = labelSelector ? ` for selector ${selectorText(labelSelector)}` : '';
  return `${topologyKey}:${whenUnsatisfiable} when max skew ${maxSkew} is exceeded${selector}`;
}
