import { expect, it } from 'vitest';
import { refuseApiServer } from '../../../src/engine/setup/refuse-api-server.ts';

const planned = (command: string) => ({
  kind: 'Deployment',
  name: 'web',
  file: 'web.yaml',
  spec: { containers: [{ name: 'main', command: ['sh', '-c', command] }] },
});

it('refuses only what names the API server', () => {
  refuseApiServer([planned('exec server')]);
  expect(() => refuseApiServer([planned('curl https://$KUBERNETES_SERVICE_HOST')])).toThrow(
    'error: web.yaml: Deployment "web": container main names KUBERNETES_SERVICE_HOST, but podrun has no API server',
  );
});
