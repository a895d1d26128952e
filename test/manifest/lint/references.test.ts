import { expect, it } from 'vitest';
import { looseReferences } from '../../../src/manifest/lint/references.ts';
import type { KubeObject } from '../../../src/api/base/objects.ts';

type Fields = Readonly<Record<string, unknown>>;

function object(kind: string, name: string, fields: Fields, namespace = 'default'): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name, namespace }, ...fields };
}

const container = (fields: Fields = {}): Fields => ({
  name: 'main',
  image: 'busybox',
  ports: [{ name: 'http', containerPort: 8080 }],
  ...fields,
});
const deployment = (fields: Fields = {}, spec: Fields = {}): KubeObject =>
  object('Deployment', 'web', {
    spec: {
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container(fields)], ...spec } },
    },
  });
const service = (spec: Fields): KubeObject =>
  object('Service', 'web', { spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80 }], ...spec } });
const ingress = (backend: Fields): KubeObject =>
  object('Ingress', 'web', { spec: { rules: [{ http: { paths: [{ backend: { service: backend } }] } }] } });
const policy = (spec: Fields): KubeObject => object('NetworkPolicy', 'p', { spec });
const settings = object('ConfigMap', 'settings', { data: { greeting: 'hello' } });
const BACKEND = 'spec.rules[0].http.paths[0].backend.service';
const MAIN = 'spec.template.spec.containers[0]';
const MEANT_HTTP = 'there are http (Did you mean "http"?)';
const variable = (source: Fields): Fields => ({ env: [{ name: 'A', valueFrom: source }] });

const autoscaler = (metric: Fields, kind = 'Deployment'): KubeObject =>
  object('HorizontalPodAutoscaler', 'web', { spec: { scaleTargetRef: { kind, name: 'web' }, metrics: [metric] } });
const share = { type: 'Utilization', averageUtilization: 50 };
const ofProcessor = { type: 'Resource', resource: { name: 'cpu', target: share } };

it.each<[string, KubeObject[], string[]]>([
  [
    'a percentage of an autoscaler without a request that it is of',
    [deployment(), autoscaler(ofProcessor)],
    [
      'spec.metrics[0].resource.target.averageUtilization: ' +
        'a percentage of requests, but main of Deployment/web has no request for cpu (set resources.requests.cpu)',
    ],
  ],
  [
    'nothing about an autoscaler whose target has requests or limits, is elsewhere, or is not asked for a percentage',
    [
      deployment({ resources: { limits: { cpu: '1' } } }),
      autoscaler(ofProcessor),
      autoscaler(ofProcessor, 'StatefulSet'),
      autoscaler({
        type: 'Resource',
        resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1' } },
      }),
      autoscaler({ type: 'ContainerResource', containerResource: { name: 'memory', container: 'x', target: share } }),
    ],
    [],
  ],
  [
    'a NetworkPolicy that selects no Pod',
    [deployment(), policy({ podSelector: { matchLabels: { app: 'wbe' } } })],
    ['spec.podSelector: selects no Pod: the Pods here have app=web'],
  ],
  ['nothing about a NetworkPolicy alone', [policy({ podSelector: { matchLabels: { app: 'wbe' } } })], []],
  [
    'ports of a NetworkPolicy that no selected Pod has, by the protocol, too',
    [
      deployment(),
      policy({ ingress: [{ ports: [{ port: 'http' }, { port: 'htpt' }, { port: 80 }] }] }),
      policy({ ingress: [{ ports: [{ port: 'http', protocol: 'UDP' }] }] }),
    ],
    [
      `spec.ingress[0].ports[1].port: no selected Pod has a TCP port "htpt": ${MEANT_HTTP}`,
      'spec.ingress[0].ports[0].port: no selected Pod has a UDP port "http" here',
    ],
  ],
  [
    'ports of egress, where all destinations are Pods of the same namespace',
    [
      deployment(),
      policy({ egress: [{ to: [{ podSelector: { matchLabels: { app: 'web' } } }], ports: [{ port: 'htpt' }] }] }),
      policy({ egress: [{ ports: [{ port: 'dns' }] }] }),
      policy({ egress: [{ to: [{ podSelector: {}, namespaceSelector: {} }], ports: [{ port: 'dns' }] }] }),
      policy({ egress: [{ to: [{ podSelector: { matchLabels: { app: 'later' } } }], ports: [{ port: 'dns' }] }] }),
    ],
    [`spec.egress[0].ports[0].port: no selected Pod has a TCP port "htpt": ${MEANT_HTTP}`],
  ],
  [
    'nothing where all names lead somewhere',
    [
      deployment(variable({ configMapKeyRef: { name: 'settings', key: 'greeting' } })),
      service({ ports: [{ name: 'http', port: 80, targetPort: 'http' }] }),
      ingress({ name: 'web', port: { name: 'http' } }),
      settings,
    ],
    [],
  ],
  [
    'a selector without Pods',
    [deployment(), service({ selector: { app: 'wbe' } })],
    ['spec.selector: selects no Pod: the Pods here have app=web'],
  ],
  ['nothing about a Service alone', [service({ selector: { app: 'wbe' } })], []],
  [
    'nothing about the selector of an ExternalName',
    [deployment(), service({ type: 'ExternalName', externalName: 'example.com', selector: { app: 'wbe' } })],
    [],
  ],
  [
    'a target port of an init container, which ends before the Pod serves',
    [
      deployment({}, { initContainers: [container({ ports: [{ name: 'migrate', containerPort: 1 }] })] }),
      service({ ports: [{ port: 80, targetPort: 'migrate' }] }),
    ],
    ['spec.ports[0].targetPort: no Pod of the Service has a port "migrate": there are http'],
  ],
  [
    'nothing about a target port of a sidecar',
    [
      deployment(
        {},
        { initContainers: [container({ restartPolicy: 'Always', ports: [{ name: 'proxy', containerPort: 1 }] })] },
      ),
      service({ ports: [{ port: 80, targetPort: 'proxy' }] }),
    ],
    [],
  ],
  ['nothing about a Service without a selector', [deployment(), service({ selector: undefined })], []],
  [
    'nothing about Pods of another namespace',
    [object('Service', 'web', { spec: { selector: { app: 'web' } } }, 'other'), deployment()],
    [],
  ],
  [
    'a target port that no Pod has',
    [deployment(), service({ ports: [{ port: 80, targetPort: 'htp' }] })],
    [`spec.ports[0].targetPort: no Pod of the Service has a port "htp": ${MEANT_HTTP}`],
  ],
  [
    'an Ingress to no Service',
    [service({}), ingress({ name: 'nosuch', port: { number: 80 } })],
    [`${BACKEND}.name: there is no Service "nosuch": there are web`],
  ],
  [
    'an Ingress to no port',
    [service({}), ingress({ name: 'web', port: { number: 8080 } })],
    [`${BACKEND}.port: Service web has no port "8080": there are http, 80`],
  ],
  ['nothing about an Ingress alone', [ingress({ name: 'nosuch', port: { number: 80 } })], []],
  [
    'a probe of a port without this name',
    [deployment({ readinessProbe: { httpGet: { port: 'metrics' } } })],
    [`${MAIN}.readinessProbe.httpGet.port: the container has no port "metrics": there are http`],
  ],
  [
    'a hook of a port without this name',
    [deployment({ lifecycle: { preStop: { tcpSocket: { port: 'htp' } } } })],
    [`${MAIN}.lifecycle.preStop.tcpSocket.port: the container has no port "htp": ${MEANT_HTTP}`],
  ],
  [
    'a ConfigMap that is nowhere',
    [deployment({ envFrom: [{ configMapRef: { name: 'setings' } }] }), settings],
    [
      `${MAIN}.envFrom[0].configMapRef.name: there is no ConfigMap "setings": there are settings ` +
        '(Did you mean "settings"?)',
    ],
  ],
  [
    'a Secret of a volume that is nowhere',
    [deployment({}, { volumes: [{ name: 'v', secret: { secretName: 'tls' } }] })],
    ['spec.template.spec.volumes[0].secret.secretName: there is no Secret "tls" here'],
  ],
  [
    'a key that a ConfigMap lacks',
    [deployment(variable({ configMapKeyRef: { name: 'settings', key: 'greting' } })), settings],
    [
      `${MAIN}.env[0].valueFrom.configMapKeyRef: ConfigMap settings has no key "greting": there are greeting ` +
        '(Did you mean "greeting"?)',
    ],
  ],
  [
    'nothing about what is optional',
    [deployment(variable({ secretKeyRef: { name: 'nowhere', key: 'a', optional: true } }))],
    [],
  ],
  [
    'nothing about the ConfigMap of each namespace',
    [deployment({ envFrom: [{ configMapRef: { name: 'kube-root-ca.crt' } }] })],
    [],
  ],
])('reports %s', (_, objects, expected) => {
  const found = looseReferences(objects.map((each) => ({ object: each })));
  expect(
    found.map(({ path, message, hint }) => `${path}: ${message}${hint === undefined ? '' : ` (${hint})`}`),
  ).toEqual(expected);
});
