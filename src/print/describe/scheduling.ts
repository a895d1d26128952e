import { compareText, type PodSpec, type Toleration, type TopologySpreadConstraint } from '../../api/index.ts';
import { selectorText } from '../text/selector.ts';
import { keyedLines } from './metadata.ts';

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
