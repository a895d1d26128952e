import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../architecture/source.ts';
import { workshopForEach } from './workshop.ts';
import { freePort } from '../free-port.ts';
import { needs } from '../needs.ts';

const workshop = workshopForEach();

const POD = `
apiVersion: v1
kind: Pod
metadata: { name: terminal }
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - name: main
    image: busybox
    tty: true
    command: [sh, -c, 'cat /proc/$PPID/comm; stty size; exec sleep 1000']
`;
const SERVER = `
apiVersion: v1
kind: Pod
metadata: { name: server }
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - name: main
    image: busybox
    command: [/bin/busybox, httpd, -f, -p, '8080']
    readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 }
`;

/** Every part of the executable, on a machine without Node.js and without the files of the build. */
const SCRIPT = `
exec 2>&1
mount --bind /dev/null "$NODE"
mount -t tmpfs none "$CHECKOUT"
"$NODE" --version
set -e
echo '# a background agent, its keeper, a terminal'
$PODRUN apply terminal.yaml --detach --runtime process --until ready
until $PODRUN logs terminal | grep -q '24 80'; do sleep 0.1; done
$PODRUN logs terminal
$PODRUN delete pod terminal
echo '# the helper in the network of the Pods'
$PODRUN apply server.yaml --network cluster --until ready --timeout 60s --no-logs
echo '# the process that pulls images'
$PODRUN pull 127.0.0.1:1/none:1 || true
echo '# the descriptions of fields'
$PODRUN explain pod.spec.containers.tty | head -4
echo '# the server, and the client of clusters'
$PODRUN serve --once --network host --state-dir cluster -- sh -c '
  $PODRUN apply --context podrun --kubeconfig "$KUBECONFIG" terminal.yaml --until ready --no-logs --state-dir here'
echo '# in place of envtest'
$PODRUN envtest serve --json </dev/null | cut -c 1-23
$PODRUN envtest -- sh -c 'echo "$KUBEBUILDER_ASSETS"' >assets
"$(cat assets)/etcd" --listen-client-urls="http://127.0.0.1:$ETCD_PORT" --data-dir=etcd &
etcd=$!
until [ -e /tmp/podrun-envtest-*/"$ETCD_PORT"/pid ]; do sleep 0.1; done
"$(cat assets)/kube-apiserver" --etcd-servers="http://127.0.0.1:$ETCD_PORT" --secure-port=0 --cert-dir=certs &
api=$!
until [ -e certs/apiserver.key ]; do sleep 0.1; done
kill $api; wait $api; echo "kube-apiserver ended with $?"
kill $etcd; wait $etcd; echo "etcd ended with $?"
`;

// Root may hide Node.js from one process and its children.

it(
  'the single executable needs no Node.js',
  needs('root', 'private mounts', 'namespaces', {
    'an x64 machine': process.arch === 'x64',
    '/bin/busybox': existsSync('/bin/busybox'),
  }),
  async () => {
    const built = path.join(root, 'dist/executable/podrun');
    if (!existsSync(built))
      execFileSync(process.execPath, [path.join(root, 'bin/executable/build.mjs')], { stdio: 'ignore' });
    const program = path.join(workshop.folder, 'podrun');
    workshop.file('terminal.yaml', POD);
    workshop.file('server.yaml', SERVER);
    const { stdout, status } = spawnSync(
      'unshare',
      ['--mount', 'sh', '-c', `touch ${program}; mount --bind ${built} ${program};${SCRIPT}`],
      {
        cwd: workshop.folder,
        encoding: 'utf8',
        env: {
          PATH: process.env['PATH'],
          HOME: workshop.folder,
          NODE: process.execPath,
          CHECKOUT: root,
          PODRUN: program,
          ETCD_PORT: String(await freePort()),
          PODRUN_IMAGES: 'host',
          PODRUN_STATE_DIR: path.join(workshop.folder, 'state'),
        },
      },
    );
    const expected = [
      /^sh: .*Permission denied$/m,
      // The terminal is made by the program itself, not by script(1).
      /^pod\/terminal created\npod\/terminal ready\n(?:podrun|MainThread)\r?\n24 80\r?\npod "terminal" deleted from /m,
      /✓ main +ready: its readiness probe has passed$/m,
      /^error: cannot pull .* connection refused$/m,
      /^FIELD: tty <boolean>$/m,
      /· namespace podrun-\w+ of context podrun [^]*✓ terminal +.*ContainersReady, Ready\b/m,
      /^\{"url":"https:\/\/127\.0\.0$/m,
      /^kube-apiserver ended with 0\netcd ended with 0$/m,
    ];
    expect({ stdout, status, missing: expected.filter((line) => !line.test(stdout)) }).toEqual({
      stdout,
      status: 0,
      missing: [],
    });
  },
);
