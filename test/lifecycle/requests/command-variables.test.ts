import { expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { commandVariables, urlVariables } from '../../../src/lifecycle/requests/command-variables.ts';
import { root, workload } from '../../controllers/goals/roots.ts';
import { podRoot } from '../../../src/lifecycle/requests/root.ts';
import { container, webPod } from '../../print/pods.ts';

const pod = (
  name: string,
  podIP: string | undefined,
  ports: Array<{ name?: string; containerPort: number }>,
): StoredPod =>
  webPod({
    metadata: { name, uid: name, namespace: 'shop' },
    spec: { containers: [container('main', { ports }), container('other')] },
    status: { podIP },
  });
const here = { PODRUN_STATE_DIR: '/state', PODRUN_NAMESPACE: 'shop' };

it('has the address and the ports of one Pod with and without its name', () => {
  const one = pod('my-web.1', '127.1.2.3', [{ name: 'http-alt', containerPort: 8080 }, { containerPort: 9090 }]);
  expect(commandVariables([podRoot(one)], '/state')).toEqual({
    ...here,
    PODRUN_MY_WEB_1_IP: '127.1.2.3',
    PODRUN_MY_WEB_1_PORT_8080: '8080',
    PODRUN_MY_WEB_1_PORT_HTTP_ALT: '8080',
    PODRUN_MY_WEB_1_PORT_9090: '9090',
    PODRUN_IP: '127.1.2.3',
    PODRUN_PORT_8080: '8080',
    PODRUN_PORT_HTTP_ALT: '8080',
    PODRUN_PORT_9090: '9090',
  });
});

it('names each of several Pods', () => {
  const pods = [pod('web', '127.1.2.3', [{ name: 'http', containerPort: 80 }]), pod('db', undefined, [])];
  expect(commandVariables(pods.map(podRoot), '/state')).toEqual({
    ...here,
    PODRUN_WEB_IP: '127.1.2.3',
    PODRUN_WEB_PORT_80: '80',
    PODRUN_WEB_PORT_HTTP: '80',
  });
});

it('leaves out variables that two Pods or ports would share', () => {
  const pods = [
    pod('a-b', '127.1.2.3', [{ containerPort: 80 }]),
    pod('a.b', '127.4.5.6', [
      { name: 'web', containerPort: 80 },
      { name: 'admin', containerPort: 81 },
    ]),
  ];
  expect(commandVariables(pods.map(podRoot), '/state')).toEqual({
    ...here,
    PODRUN_A_B_PORT_80: '80',
    PODRUN_A_B_PORT_WEB: '80',
    PODRUN_A_B_PORT_81: '81',
    PODRUN_A_B_PORT_ADMIN: '81',
  });
});

it('is about no Pod where there is none', () => {
  expect(commandVariables([], '/state')).toEqual({ PODRUN_STATE_DIR: '/state' });
});

it('names a workload instead of its Pods, whose names change; but the names of a StatefulSet stay', () => {
  const ports = [{ containerPort: 80 }];
  const web = root(workload('Deployment'), [pod('web-x1', '127.1.2.3', ports)]);
  const set = workload('StatefulSet', {}, {}, { name: 'db' });
  const db = root(set, [pod('db-0', '127.1.2.4', ports), pod('db-1', '127.1.2.5', ports)]);
  expect(commandVariables([web, db], '/state')).toEqual({
    PODRUN_STATE_DIR: '/state',
    PODRUN_NAMESPACE: 'default',
    PODRUN_WEB_IP: '127.1.2.3',
    PODRUN_WEB_PORT_80: '80',
    // Two Pods have two addresses, and the same port.
    PODRUN_DB_PORT_80: '80',
    PODRUN_DB_0_IP: '127.1.2.4',
    PODRUN_DB_0_PORT_80: '80',
    PODRUN_DB_1_IP: '127.1.2.5',
    PODRUN_DB_1_PORT_80: '80',
  });
});

it('has the URLs of Services and Ingresses: of a Service where both have the name', () => {
  const variables = urlVariables([
    { kind: 'Service', name: 'shop', url: 'http://127.96.0.9:80' },
    { kind: 'Ingress', name: 'shop', url: 'http://shop.localhost:8081/' },
    { kind: 'Ingress', name: 'my.door', url: 'http://localhost:8081/' },
    { kind: 'Service', name: 'a-b', url: 'http://127.96.0.1:80' },
    { kind: 'Service', name: 'a.b', url: 'http://127.96.0.2:80' },
  ]);
  expect(variables).toEqual({
    PODRUN_SHOP_URL: 'http://127.96.0.9:80',
    PODRUN_SHOP_INGRESS_URL: 'http://shop.localhost:8081/',
    PODRUN_MY_DOOR_URL: 'http://localhost:8081/',
    PODRUN_MY_DOOR_INGRESS_URL: 'http://localhost:8081/',
  });
});
