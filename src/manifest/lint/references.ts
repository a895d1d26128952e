import {
  type ConfigMap,
  type Container,
  type Ingress,
  type KubeObject,
  ownValue,
  type PodSpec,
  type Secret,
  type Service,
} from '../../api/index.ts';
import { type Decoded } from '../base/decoded.ts';
import { containersWithPaths, podIn } from '../base/pod-specs.ts';
import { looseInAutoscaler } from './autoscaler-references.ts';
import { looseInPolicy } from './policy-references.ts';
import {
  labelsText,
  loose,
  type LooseText,
  missing,
  namedPorts,
  type SelectablePods,
  selectablePods,
} from './selectable-pods.ts';

/** A field that names something that no object of a set has. */
export interface LooseReference<T> {
  /** The object with the field. */
  readonly from: T;
  readonly path: string;
  /** One sentence without the path. */
  readonly message: string;
  readonly hint: string | undefined;
  /**
   * service: where clients are to be led; data: a ConfigMap or Secret; policy: the Pods of a NetworkPolicy; requests:
   * what percentages of an autoscaler count from.
   */
  readonly about: 'service' | 'probe' | 'hook' | 'data' | 'policy' | 'requests';
}

type Loose = Omit<LooseReference<never>, 'from'>;

/** The objects beside a set. */
export interface Surroundings {
  /** More objects, which are not checked. */
  readonly objects: readonly KubeObject[];
  /** True: nothing else exists anywhere. */
  readonly isAll: boolean;
}

/**
 * The fields that name a Pod, a Service, a port, a ConfigMap, a Secret or a key that no object has. An API server
 * accepts them all: the objects may come later. Unless these are all objects that exist, a lack of any Pod says nothing
 * about selectors, and a lack of any Service nothing about Ingresses.
 */
export function looseReferences<T extends { readonly object: KubeObject }>(
  set: readonly T[],
  { objects: nearObjects, isAll }: Surroundings = { objects: [], isAll: false },
): LooseReference<T>[] {
  const all = [...set.map(({ object }) => object), ...nearObjects];
  const nearby = new Map<string, Near>();
  for (const object of all) {
    const namespace = namespaceOf(object);
    const near = nearby.get(namespace) ?? { objects: [], templates: [], isAll };
    near.objects.push(object);
    near.templates.push(...selectablePods(object));
    nearby.set(namespace, near);
  }
  return set.flatMap((from) => {
    const near = nearby.get(namespaceOf(from.object));
    return near === undefined ? [] : looseIn(from.object, near).map((loose) => ({ from, ...loose }));
  });
}

/** The objects of a namespace. */
interface Near {
  readonly objects: KubeObject[];
  readonly templates: SelectablePods[];
  readonly isAll: boolean;
}

function looseIn(object: KubeObject, near: Near): Loose[] {
  const ofService = (text: LooseText): Loose => ({ ...text, about: 'service' });
  if (object.kind === 'Service') return looseInService(object, near).map(ofService);
  if (object.kind === 'Ingress') return looseInIngress(object, near).map(ofService);
  if (object.kind === 'NetworkPolicy')
    return looseInPolicy(object, near).map((text): Loose => ({ ...text, about: 'policy' }));
  if (object.kind === 'HorizontalPodAutoscaler')
    return looseInAutoscaler(object, near.objects).map((text): Loose => ({ ...text, about: 'requests' }));
  const part = podIn(object);
  if (part === undefined) return [];
  const specPath = part.path === '' ? 'spec' : `${part.path}.spec`;
  const spec = part.pod.spec ?? {};
  return [
    ...containersWithPaths(specPath, spec).flatMap(([path, container]) => loosePorts(path, container)),
    ...dataReferences(specPath, spec).flatMap((reference) =>
      looseData(reference, near.objects).map((text): Loose => ({ ...text, about: 'data' })),
    ),
  ];
}

function looseInService({ spec = {} }: Service, { templates, isAll }: Near): LooseText[] {
  const wanted = Object.entries(spec.selector ?? {});
  if (spec.type === 'ExternalName' || wanted.length === 0 || (templates.length === 0 && !isAll)) return [];
  const selected = templates.filter(({ labels }) => wanted.every(([key, value]) => ownValue(labels, key) === value));
  if (selected.length === 0) return [loose('spec.selector', `selects no Pod: ${labelsText(templates)}`)];
  const ports = selected.flatMap((template) => template.ports.map(({ name }) => name));
  return (spec.ports ?? []).flatMap(({ targetPort }, index) =>
    typeof targetPort === 'string' && !ports.includes(targetPort)
      ? [missing(`spec.ports[${index}].targetPort`, `no Pod of the Service has a port`, targetPort, ports)]
      : [],
  );
}

function looseInIngress({ spec = {} }: Ingress, { objects, isAll }: Near): LooseText[] {
  const services: readonly Service[] = objects.filter(({ kind }) => kind === 'Service');
  if (services.length === 0 && !isAll) return [];
  const backends: Array<[string, NonNullable<Ingress['spec']>['defaultBackend']]> = [
    ['spec.defaultBackend', spec.defaultBackend],
    ...(spec.rules ?? []).flatMap(({ http }, rule) =>
      (http?.paths ?? []).map(({ backend }, index): [string, typeof backend] => [
        `spec.rules[${rule}].http.paths[${index}].backend`,
        backend,
      ]),
    ),
  ];
  return backends.flatMap(([path, backend]) => {
    if (backend?.service === undefined) return [];
    const { name, port = {} } = backend.service;
    const service = services.find(({ metadata }) => metadata?.name === name);
    const names = services.map(({ metadata }) => metadata?.name ?? '');
    if (service === undefined) return [missing(`${path}.service.name`, 'there is no Service', name, names)];
    const ports = service.spec?.ports ?? [];
    const isServed = ports.some((each) =>
      port.name === undefined ? each.port === port.number : each.name === port.name,
    );
    const known = ports.flatMap((each) => [...(each.name === undefined ? [] : [each.name]), String(each.port)]);
    const wanted = String(port.name ?? port.number);
    return isServed ? [] : [missing(`${path}.service.port`, `Service ${name} has no port`, wanted, known)];
  });
}

/** Ports of probes and hooks that the container has no name for. */
function loosePorts(path: string, container: Decoded<Container>): Loose[] {
  const { livenessProbe, readinessProbe, startupProbe, lifecycle = {} } = container;
  const handlers = Object.entries({
    livenessProbe,
    readinessProbe,
    startupProbe,
    'lifecycle.postStart': lifecycle.postStart,
    'lifecycle.preStop': lifecycle.preStop,
  });
  const names = namedPorts(container).map(({ name }) => name);
  return handlers.flatMap(([field, handler]) =>
    (['httpGet', 'tcpSocket'] as const).flatMap((action) => {
      const port = handler?.[action]?.port;
      if (typeof port !== 'string' || /^\d+$/.test(port) || names.includes(port)) return [];
      const text = missing(`${path}.${field}.${action}.port`, 'the container has no port', port, names);
      return [{ ...text, about: field.endsWith('Probe') ? ('probe' as const) : ('hook' as const) }];
    }),
  );
}

/** A field that names a ConfigMap or a Secret, or a key of one. */
interface DataReference {
  readonly path: string;
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name?: string | undefined;
  readonly key?: string | undefined;
  readonly optional?: boolean | undefined;
}

function dataReferences(specPath: string, spec: Decoded<PodSpec>): DataReference[] {
  const ofVolumes = (spec.volumes ?? []).flatMap(({ configMap, secret }, index) => {
    const path = `${specPath}.volumes[${index}]`;
    return [
      ...reference(`${path}.configMap.name`, 'ConfigMap', configMap),
      ...reference(`${path}.secret.secretName`, 'Secret', secret && { ...secret, name: secret.secretName }),
    ];
  });
  const ofVariables = containersWithPaths(specPath, spec).flatMap(([path, { env = [], envFrom = [] }]) => [
    ...envFrom.flatMap(({ configMapRef, secretRef }, index) => [
      ...reference(`${path}.envFrom[${index}].configMapRef.name`, 'ConfigMap', configMapRef),
      ...reference(`${path}.envFrom[${index}].secretRef.name`, 'Secret', secretRef),
    ]),
    ...env.flatMap(({ valueFrom: { configMapKeyRef, secretKeyRef } = {} }, index) => [
      ...reference(`${path}.env[${index}].valueFrom.configMapKeyRef`, 'ConfigMap', configMapKeyRef),
      ...reference(`${path}.env[${index}].valueFrom.secretKeyRef`, 'Secret', secretKeyRef),
    ]),
  ]);
  return [...ofVolumes, ...ofVariables];
}

function reference(
  path: string,
  kind: DataReference['kind'],
  source: Omit<DataReference, 'path' | 'kind'> | undefined,
): DataReference[] {
  return source === undefined ? [] : [{ ...source, path, kind }];
}

function looseData({ path, kind, name = '', key, optional }: DataReference, near: readonly KubeObject[]): LooseText[] {
  const named = near.filter((object) => object.kind === kind);
  const data = named.find(({ metadata }) => metadata.name === name) as unknown as (ConfigMap & Secret) | undefined;
  if (optional === true || name === '' || name === 'kube-root-ca.crt') return [];
  if (data === undefined)
    return [
      missing(
        path,
        `there is no ${kind}`,
        name,
        named.map(({ metadata }) => metadata.name ?? ''),
      ),
    ];
  if (key === undefined) return [];
  const keys = Object.keys({ ...data.data, ...data.binaryData, ...data.stringData });
  return keys.includes(key) ? [] : [missing(path, `${kind} ${name} has no key`, key, keys)];
}

function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? 'default';
}
