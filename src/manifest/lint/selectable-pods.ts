import { type Container, didYouMean, type KubeObject, noSuchName } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { podIn } from '../base/pod-specs.ts';

/** A Pod or a template whose Pods may be selected. */
export interface SelectablePods {
  readonly labels: Readonly<Record<string, string>>;
  readonly ports: readonly SelectablePort[];
}

/** A port of a container with a name. */
interface SelectablePort {
  readonly name: string;
  readonly protocol: string;
}

/** A finding about a field, without the object. */
export interface LooseText {
  readonly path: string;
  /** One sentence without the path. */
  readonly message: string;
  readonly hint: string | undefined;
}

/** The Pods of an object: none, or what its template makes. */
export function selectablePods(object: KubeObject): SelectablePods[] {
  const pod = podIn(object)?.pod;
  if (pod === undefined) return [];
  const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const containers = [...sidecars, ...(pod.spec?.containers ?? [])];
  const labels = (pod.metadata?.labels ?? {}) as Record<string, string>;
  return [{ labels, ports: containers.flatMap(namedPorts) }];
}

export function namedPorts({ ports = [] }: Decoded<Container>): SelectablePort[] {
  return ports.flatMap(({ name, protocol = 'TCP' }) => (name === undefined ? [] : [{ name, protocol }]));
}

/** The labels of all Pods, for a message about a selector. */
export function labelsText(templates: readonly SelectablePods[]): string {
  const texts = templates.map(({ labels }) =>
    Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
  );
  if (templates.length === 0) return 'there is no Pod here';
  return `the Pods here have ${[...new Set(texts)].map((text) => text || 'no labels').join('; ')}`;
}

export function missing(path: string, what: string, name: string, known: readonly string[]): LooseText {
  return {
    path,
    message: noSuchName(what, name, known),
    hint: /^\d+$/.test(name) ? undefined : didYouMean(name, known),
  };
}

export function loose(path: string, message: string): LooseText {
  return { path, message, hint: undefined };
}
