import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { workshopForEach } from './workshop.ts';
import { needs } from '../needs.ts';

const workshop = workshopForEach();
const PODRUN = fileURLToPath(new URL('../../bin/podrun.js', import.meta.url));

/** A network of its own stands for that of the machine, whose settings the test leaves alone. */
const MACHINE = `
ip link set lo up
node -e 'require("http").createServer((_, answer) => answer.end("this machine")).listen(8001, "127.0.0.1",
  () => require("fs").writeFileSync(process.argv[1], ""))' "$2.listens" &
until [ -e "$2.listens" ]; do sleep 0.05; done
"$0" "$1" --state-dir "$2" apply "$3" --network cluster --egress nat
kill $!
while ip -brief link | grep podrun; do sleep 0.01; done
nft list tables; cat /proc/sys/net/ipv4/ip_forward`;

const canTry = process.getuid?.() === 0 && spawnSync('sh', ['-c', 'unshare --net nft list tables']).status === 0;

it(
  '--egress nat leads to this machine, and leaves no device and no rule',
  needs('root', 'networks', { 'nft in a network of its own': canTry }),
  () => {
    const ask = 'fetch("http://10.94.0.1:8001").then((answer) => answer.text()).then(console.log)';
    const containers = [{ name: 'main', image: 'node', command: [process.execPath, '-e', ask] }];
    const metadata = { name: 'client' };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { restartPolicy: 'Never', containers } };
    const words = [process.execPath, PODRUN, workshop.stateDir, workshop.file('pod.yaml', stringify(pod))];
    const { stdout } = spawnSync('unshare', ['--net', 'sh', '-c', MACHINE, ...words], { encoding: 'utf8' });
    expect(stdout).toMatch(/│ main +this machine\n/);
    expect(stdout.split('\n').slice(-2)).toEqual(['1', '']);
  },
);
