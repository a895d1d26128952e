// Nodes, workloads, Pods, Services and Ingresses, as `podrun get` shows them: the API server makes the cells.

import { age, element, state, table } from './elements.js';

/** The kinds that are shown, by the path of their list. */
export const KINDS = [
  ['Node', 'api/v1/nodes'],
  ['Deployment', 'apis/apps/v1/deployments'],
  ['ReplicaSet', 'apis/apps/v1/replicasets'],
  ['StatefulSet', 'apis/apps/v1/statefulsets'],
  ['DaemonSet', 'apis/apps/v1/daemonsets'],
  ['ReplicationController', 'api/v1/replicationcontrollers'],
  ['Job', 'apis/batch/v1/jobs'],
  ['CronJob', 'apis/batch/v1/cronjobs'],
  ['Pod', 'api/v1/pods'],
  ['Service', 'api/v1/services'],
  ['Ingress', 'apis/networking.k8s.io/v1/ingresses'],
];

/**
 * The nodes and the node of each Pod are shown where there are several.
 * @param of the uid of a workload: only its Pods are shown. Undefined: everything is
 */
export function overview({ tables, urls, filter, of }) {
  const owners = ownersIn(tables);
  const isShown = ({ object }) =>
    object.metadata.name.includes(filter) && (of === undefined || isBelow(object, of, owners));
  const hasNodes = (tables.get('Node')?.rows.length ?? 0) > 1;
  const parts = [...tables].map(([kind, { columns, rows }]) => {
    const shown = rows.filter(isShown).sort(byName);
    const isHidden = kind === 'Node' ? !hasNodes || of !== undefined : shown.length === 0 && kind !== 'Pod';
    return isHidden ? [] : kindParts(kind, columns, shown, { urls, hasNodes });
  });
  const title = of === undefined ? [] : [element('p', {}, element('a', { href: '#/' }, 'all workloads and Pods'))];
  return [...title, ...parts.flat()];
}

function kindParts(kind, columns, rows, { urls, hasNodes }) {
  const hasUrls = kind === 'Service' || kind === 'Ingress';
  const shown = columns
    .map(({ name, priority }, index) => ({ name, priority, index }))
    .filter(({ name, priority }) => !priority || (hasNodes && kind === 'Pod' && name === 'Node'));
  const isNamespaced = kind !== 'Node';
  const heads = [...(isNamespaced ? ['Namespace'] : []), ...shown.map(({ name }) => name), ...(hasUrls ? ['URL'] : [])];
  const cells = rows.map((row) => [
    ...(isNamespaced ? [row.object.metadata.namespace] : []),
    ...shown.map(({ name, index }) => cellOf(kind, name, row, index)),
    ...(hasUrls ? [urlOf(kind, row, urls)] : []),
  ]);
  return [element('h2', {}, `${kind === 'Ingress' ? 'Ingresse' : kind}s`), table(`${kind}s`, heads, cells)];
}

function cellOf(kind, name, { cells, object }, index) {
  const { metadata } = object;
  if (name === 'Age') return age(metadata.creationTimestamp);
  const text = String(cells[index] ?? '');
  if (name === 'Status') return stateOf(text);
  if (name !== 'Name' || kind === 'Service' || kind === 'Ingress' || kind === 'Node') return text;
  const href = kind === 'Pod' ? podLink(object) : `#/pods-of/${metadata.uid}`;
  return element('a', { href, id: `row-${metadata.uid}` }, text);
}

function urlOf(kind, { object: { metadata } }, urls) {
  const found = urls.find(
    (each) => each.kind === kind && each.name === metadata.name && each.namespace === metadata.namespace,
  );
  if (found === undefined || !/^https?:/.test(found.url)) return found?.url ?? '';
  return element('a', { href: found.url, target: '_blank', rel: 'noopener noreferrer' }, found.url);
}

/** The uids of the controllers of all objects, by uid. */
function ownersIn(tables) {
  const all = [...tables.values()].flatMap(({ rows }) => rows);
  return new Map(all.map(({ object: { metadata } }) => [metadata.uid, controllerOf(metadata)]));
}

function controllerOf({ ownerReferences = [] }) {
  return ownerReferences.find(({ controller }) => controller)?.uid;
}

/** True for a workload, and for what its controllers have made. */
function isBelow({ metadata }, uid, owners) {
  for (let each = metadata.uid; each !== undefined; each = owners.get(each)) if (each === uid) return true;
  return false;
}

function byName(one, other) {
  const [a, b] = [one, other].map(({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`);
  return a < b ? -1 : 1;
}

function podLink({ metadata }) {
  return `#/pod/${metadata.namespace}/${metadata.name}`;
}

/** The status of a Pod, in its colour. */
export function stateOf(word) {
  return state(word, /^(Running|Succeeded|Completed|Complete)$/.test(word), /Fail|Err|BackOff|Unknown|OOM/.test(word));
}
