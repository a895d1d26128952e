import { type KubeObject, portNameMessages, usage } from '../../api/index.ts';

/** Everything that `create service` lets one say about a Service. */
export interface NewService {
  readonly name: string;
  readonly type: 'ClusterIP' | 'ExternalName' | 'LoadBalancer' | 'NodePort';
  /** `PORT[:TARGET]`. */
  readonly ports: readonly string[];
  readonly clusterIP?: string | undefined;
  readonly nodePort?: number | undefined;
  readonly externalName?: string | undefined;
}

/**
 * The Service of `create service`. Source: kubectl/pkg/cmd/create/create_service.go.
 * @throws {PodrunError} (usage) in kubectl's words
 */
export function newService({ name, type, ports, clusterIP, nodePort, externalName }: NewService): KubeObject {
  const labels = { app: name };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels },
    spec: {
      ...(clusterIP && { clusterIP }),
      ...(externalName && { externalName }),
      ...(ports.length > 0 && { ports: ports.map((text) => portOf(text, nodePort)) }),
      selector: labels,
      type,
    },
    status: { loadBalancer: {} },
  };
}

function portOf(text: string, nodePort: number | undefined): object {
  const [port = '', target] = text.split(/:(.*)/s);
  return {
    name: text.replaceAll(':', '-'),
    ...(nodePort && { nodePort }),
    port: portNumber(port),
    protocol: 'TCP',
    targetPort: target === undefined ? portNumber(port) : targetOf(target),
  };
}

function targetOf(text: string): number | string {
  if (/^\d+$/.test(text)) return portNumber(text);
  const wrong = portNameMessages(text);
  if (wrong.length > 0) throw usage(wrong.join(','));
  return text;
}

function portNumber(text: string): number {
  const isNumber = /^\d+$/.test(text);
  if (isNumber && Number(text) < 65_536) return Number(text);
  throw usage(
    `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${isNumber ? 'value out of range' : 'invalid syntax'}`,
  );
}
