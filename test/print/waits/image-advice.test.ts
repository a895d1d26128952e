import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { imageFolderUnusable } from '../../../src/lifecycle/texts/image-errors.ts';
import { adviseImages, missingImageLines } from '../../../src/print/waits/image-advice.ts';
import { container, waiting, webPod } from '../pods.ts';

/** A Pod with a container for each image. All containers wait for their images. */
const waitingFor = (...images: string[]): StoredPod =>
  webPod({
    spec: { containers: images.map((image, index) => container(`c${index}`, { image })) },
    status: {
      containerStatuses: images.map((image, index) =>
        waiting(`c${index}`, 'ImagePullBackOff', { message: `Back-off pulling image "${image}"` }),
      ),
    },
  });

const advice = (pod: StoredPod, present: readonly string[]): string =>
  adviseImages({ pods: [pod], configPath: '/app/podrun.yaml', isOnPath: (program) => present.includes(program) });

describe('an image that no program stands for', () => {
  it.each([
    ['nginx', ['nginx'], '"nginx": ["nginx", "-g", "daemon off;"]', `--image 'nginx=nginx -g "daemon off;"'`],
    ['docker.io/library/redis:7', ['redis-server'], '"docker.io/library/redis:7": ["redis-server"]', '=redis-server'],
    ['mirror.example/library/postgres:16', ['postgres'], 'postgres:16": ["postgres"]', '=postgres'],
    ['python:3.12-slim', ['python3', 'python'], '["python3"]', "'python:3.12-slim=python3'"],
    ['python', ['python'], '["python"]', "'python=python'"],
    ['httpd', ['apache2ctl'], '["apache2ctl", "-D", "FOREGROUND"]', "'httpd=apache2ctl -D FOREGROUND'"],
    ['node:22', [], '"node:22": ["COMMAND"]', 'node, the program of node:22, is not on PATH'],
    ['ghcr.io/acme/nginx', ['nginx'], '"ghcr.io/acme/nginx": ["COMMAND"]', "'ghcr.io/acme/nginx=COMMAND'"],
  ])('%s, where there is %j', (image, present, entry, flag) => {
    const text = advice(waitingFor(image), present);
    expect(text).toContain('map the images to programs of this machine in /app/podrun.yaml');
    for (const part of [entry, flag]) expect(text).toContain(part);
  });

  it('is named once, and a known one is the example for the command line', () => {
    const text = advice(waitingFor('acme/api', 'node:22', 'acme/api'), ['node']);
    expect(text.match(/"acme\/api"/g)).toHaveLength(1);
    expect(text).toContain("--image 'node:22=node'");
  });

  it('is not one whose folder is missing', () => {
    const error = imageFolderUnusable('/app/files', 'app', 'is no folder');
    const message = `Back-off pulling image "app": ErrImagePull: ${error}`;
    const pod = webPod({
      spec: { containers: [container('main', { image: 'app' })] },
      status: { containerStatuses: [waiting('main', 'ImagePullBackOff', { message })] },
    });
    expect([missingImageLines(pod), advice(pod, [])]).toEqual([[], '']);
  });

  it('may be the image of a volume, which a folder stands for', () => {
    const pod = webPod({
      spec: {
        volumes: [{ name: 'model', image: { reference: 'acme/model' } }],
        containers: [container('main', { volumeMounts: [{ name: 'model', mountPath: '/model' }] })],
      },
      status: {
        containerStatuses: [waiting('main', 'ImagePullBackOff', { message: 'Back-off pulling image "acme/model"' })],
      },
    });
    expect(missingImageLines(pod)).toEqual(['pod/web: container main waits for image "acme/model" of volume model\n']);
    const text = advice(pod, []);
    expect(text).toContain('"acme/model": {folder: ./FOLDER}');
    expect(text).not.toContain('--image');
  });
});
