import {
  compareQuantities,
  type Container,
  effectiveResources,
  formatQuantity,
  type LimitRange,
  type LimitRangeItem,
  type ParsedResources,
  parseQuantity,
  type PersistentVolumeClaim,
  type Pod,
  type PodSpec,
  quantityMilliValue,
} from '../../api/index.ts';
import { entriesByKey } from '../base/decoded.ts';

/** LimitRanges, as new Pods and claims meet them. Source: plugin/pkg/admission/limitranger/admission.go. */

const ANNOTATION = 'kubernetes.io/limit-ranger';

type ResourceList = Readonly<Record<string, string | undefined>>;

/** The requests and limits of a container, a Pod or a claim. */
interface Amounts {
  readonly requests: ParsedResources;
  readonly limits: ParsedResources;
}

/** Gives containers the default requests and limits that they lack, and says so in an annotation. */
export function withDefaultLimits<T extends Pod>(pod: T, ranges: readonly LimitRange[]): T {
  return ranges
    .flatMap(({ spec }) => spec?.limits ?? [])
    .filter(({ type }) => type === 'Container')
    .reduce(withDefaultsOf, pod);
}

function withDefaultsOf<T extends Pod>(pod: T, item: LimitRangeItem): T {
  const { spec } = pod;
  if (spec === undefined) return pod;
  const notes = [
    ...spec.containers.flatMap((container) => notesOf(container, 'container', item)),
    ...(spec.initContainers ?? []).flatMap((container) => notesOf(container, 'init container', item)),
  ];
  if (notes.length === 0) return pod;
  const annotations = { ...pod.metadata?.annotations, [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}` };
  const filled = (container: Container): Container => withDefaultAmounts(container, item);
  const changed: PodSpec = { ...spec, containers: spec.containers.map(filled) };
  if (spec.initContainers !== undefined) changed.initContainers = spec.initContainers.map(filled);
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec: changed };
}

/** The amounts that the container gets, in the words of the annotation. */
function notesOf({ name, resources }: Container, kind: string, item: LimitRangeItem): string[] {
  const missing = (defaults: ResourceList = {}, own: ResourceList = {}): string =>
    entriesByKey(defaults)
      .flatMap(([resource]) => (own[resource] === undefined ? [resource] : []))
      .join(', ');
  const requests = missing(item.defaultRequest, resources?.requests);
  const limits = missing(item.default, resources?.limits);
  return [
    ...(requests === '' ? [] : [`${requests} request for ${kind} ${name}`]),
    ...(limits === '' ? [] : [`${limits} limit for ${kind} ${name}`]),
  ];
}

function withDefaultAmounts(container: Container, item: LimitRangeItem): Container {
  const { resources = {} } = container;
  const requests = { ...item.defaultRequest, ...resources.requests };
  const limits = { ...item.default, ...resources.limits };
  return {
    ...container,
    resources: {
      ...resources,
      ...(Object.keys(limits).length > 0 ? { limits } : {}),
      ...(Object.keys(requests).length > 0 ? { requests } : {}),
    },
  };
}

/** The mistakes of a Pod beside a LimitRange, in the API server's words. */
export function podLimitErrors({ spec }: Pod, { spec: range }: LimitRange): string[] {
  if (spec === undefined) return [];
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  return (range?.limits ?? []).flatMap((item) => {
    if (item.type === 'Pod') {
      return itemErrors(item, {
        requests: effectiveResources(spec, 'requests'),
        limits: effectiveResources(spec, 'limits'),
      });
    }
    if (item.type !== 'Container') return [];
    return containers.flatMap(({ resources }) =>
      itemErrors(item, { requests: parsed(resources?.requests), limits: parsed(resources?.limits) }),
    );
  });
}

/** The mistakes of a claim beside a LimitRange. */
export function claimLimitErrors({ spec }: PersistentVolumeClaim, { spec: range }: LimitRange): string[] {
  const requests = parsed(spec?.resources?.requests);
  return (range?.limits ?? []).flatMap((item) => {
    if (item.type !== 'PersistentVolumeClaim') return [];
    const errors = entriesByKey(item.min).flatMap(([name, bound]) =>
      minErrors(item.type, name, bound, { requests, limits: new Map() }),
    );
    return [...errors, ...entriesByKey(item.max).flatMap(([name, bound]) => maxRequestErrors(name, bound, requests))];
  });
}

function parsed(list: ResourceList = {}): ParsedResources {
  return new Map(entriesByKey(list).map(([name, text]) => [name, parseQuantity(text)]));
}

function itemErrors(item: LimitRangeItem, amounts: Amounts): string[] {
  return [
    ...entriesByKey(item.min).flatMap(([name, bound]) => minErrors(item.type, name, bound, amounts)),
    ...entriesByKey(item.max).flatMap(([name, bound]) => maxErrors(item.type, name, bound, amounts)),
    ...entriesByKey(item.maxLimitRequestRatio).flatMap(([name, bound]) => ratioErrors(item.type, name, bound, amounts)),
  ];
}

function minErrors(type: string, name: string, bound: string, { requests, limits }: Amounts): string[] {
  const [request, limit, least] = [requests.get(name), limits.get(name), parseQuantity(bound)];
  const rule = `minimum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return [`${rule}.  No request is specified`];
  if (compareQuantities(request, least) < 0) return [`${rule}, but request is ${formatQuantity(request)}`];
  if (limit === undefined || compareQuantities(limit, least) >= 0) return [];
  return [`${rule}, but limit is ${formatQuantity(limit)}`];
}

function maxErrors(type: string, name: string, bound: string, { requests, limits }: Amounts): string[] {
  const [request, limit, most] = [requests.get(name), limits.get(name), parseQuantity(bound)];
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  if (limit === undefined) return [`${rule}.  No limit is specified`];
  if (compareQuantities(limit, most) > 0) return [`${rule}, but limit is ${formatQuantity(limit)}`];
  if (request === undefined || compareQuantities(request, most) <= 0) return [];
  return [`${rule}, but request is ${formatQuantity(request)}`];
}

function maxRequestErrors(name: string, bound: string, requests: ParsedResources): string[] {
  const request = requests.get(name);
  const rule = `maximum ${name} usage per PersistentVolumeClaim is ${bound}`;
  if (request === undefined) return [`${rule}.  No request is specified`];
  if (compareQuantities(request, parseQuantity(bound)) <= 0) return [];
  return [`${rule}, but request is ${formatQuantity(request)}`];
}

function ratioErrors(type: string, name: string, bound: string, { requests, limits }: Amounts): string[] {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const rule = `${name} max limit to request ratio per ${type} is ${bound}`;
  if (request === undefined || request.nano === 0n) {
    return [`${rule}, but no request is specified or request is 0`];
  }
  if (limit === undefined || limit.nano === 0n) return [`${rule}, but no limit is specified or limit is 0`];
  const ratio = Number(quantityMilliValue(limit)) / Number(quantityMilliValue(request));
  const most = Number(quantityMilliValue(parseQuantity(bound))) / 1000;
  return ratio > most ? [`${rule}, but provided ratio is ${ratio.toFixed(6)}`] : [];
}
