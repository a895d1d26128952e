import type { LabelSelector, PodSpec, Toleration, TopologySpreadConstraint } from '../../api/generated/types.ts';
import { compareText, sortedEntries } from '../text/labels.ts';
import { describeLabels, keyedLines } from './metadata.ts';

/** The placement of the Pod: node selectors, tolerations, topology spread. */
export function describeScheduling(spec: PodSpec): string[] {
  const tolerations = [...(spec.tolerations ?? [])].sort((a, b) => compareText(a.key ?? '', b.key ?? ''));
  const spread = [...(spec.topologySpreadConstraints ?? [])].sort((a, b) => compareText(a.topologyKey, b.topologyKey));
  return [
    ...describeLabels('Node-Selectors', spec.nodeSelector),
    ...keyedLines('Tolerations', tolerations.map(tolerationText), 0),
    ...(spread.length === 0 ? [] : keyedLines('Topology Spread Constraints', spread.map(spreadText), 0)),
  ];
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

const OPERATORS: Readonly<Record<string, (key: string, values: string) => string>> = {
  In: (key, values) => `${key} in (${values})`,
  NotIn: (key, values) => `${key} notin (${values})`,
  Exists: (key) => key,
  DoesNotExist: (key) => `!${key}`,
};

/** A label selector on one line, in the syntax of `-l`: `app=web,tier in (a,b),!old`, sorted by key. */
function selectorText(selector: LabelSelector): string {
  const equal = sortedEntries(selector.matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => ({
    key,
    text: OPERATORS[operator]?.(key, [...values].sort(compareText).join(',')) ?? key,
  }));
  const requirements = [...equal, ...expressions].sort((a, b) => compareText(a.key, b.key));
  return requirements.length === 0 ? '<none>' : requirements.map(({ text }) => text).join(',');
}
