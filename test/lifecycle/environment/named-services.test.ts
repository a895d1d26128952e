import { expect, it } from 'vitest';
import type { Container } from '../../../src/api/generated/types.ts';
import { apiServerNotices } from '../../../src/lifecycle/environment/environment-services.ts';

const noticed = (container: Omit<Container, 'name'>): string[] => {
  const spec = { containers: [{ name: 'main', ...container }] };
  return apiServerNotices({ spec }).map(({ message }) => message);
};
const notices = (variable: string): string[] => [
  `container main names ${variable}, but podrun has no API server: connections to it are refused`,
];

it.each<[string, Omit<Container, 'name'>, string[]]>([
  ['a shell line', { command: ['sh', '-c', 'curl $KUBERNETES_SERVICE_HOST'] }, notices('KUBERNETES_SERVICE_HOST')],
  ['an argument', { args: ['--port=$(KUBERNETES_SERVICE_PORT_HTTPS)'] }, notices('KUBERNETES_SERVICE_PORT_HTTPS')],
  ['a variable', { env: [{ name: 'API', value: '$(KUBERNETES_PORT)' }] }, notices('KUBERNETES_PORT')],
  [
    'one that the container sets itself',
    {
      command: ['sh', '-c', 'echo $KUBERNETES_SERVICE_HOST'],
      env: [{ name: 'KUBERNETES_SERVICE_HOST', value: '127.0.0.1' }],
    },
    [],
  ],
  ['another name', { command: ['sh', '-c', 'echo $KUBERNETES_NAMESPACE $MY_KUBERNETES_PORT'] }, []],
])('%s', (_name, container, messages) => {
  expect(noticed(container)).toEqual(messages);
});
