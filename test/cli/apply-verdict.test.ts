import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { workshopFor } from './workshop.ts';
import { LIMIT, untilTimeIsUp } from './time-limit.ts';

const CRASH_LOOP = path.resolve('fixtures/crash-loop.yaml');
const LAPSED = 'error: pod "crash-loop" did not stay ready: container crasher exited with code 1\n';

/** The lines about what takes longer than a second. */
const WAITING = /^waiting for .*\n/gm;

/** On a busy machine, a program may need more than the usual second until it fails. */
const SETTLED = ['--settle', '1m'];

/** A server that runs until the file `crash` appears. Then it removes the file and ends with the given command. */
const crashing = (end: string): { name: string; command: string[] } => ({
  name: 'main',
  command: ['sh', '-c', `until test -e crash; do sleep 0.1; done; rm crash; echo oops; ${end}`],
});

describe.concurrent('a Pod that dies is never a success', () => {
  it('when it was Ready for a moment', async (context) => {
    const { exitCode, stderr } = await workshopFor(context).run(['apply', CRASH_LOOP, '--until', 'ready', ...SETTLED]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(LAPSED);
    expect(stderr).toContain('  last line of container crasher:\n    cannot find my configuration\n');
    expect(stderr).toContain('--allow-restarts');
  });

  it('in the background', async (context) => {
    const workshop = workshopFor(context);
    const { exitCode, stderr } = await workshop.run(['apply', '--detach', '--wait', ...SETTLED, CRASH_LOOP]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('did not stay Ready: container crasher exited with code 1');
    const waited = await workshop.run(['wait', 'pod/crash-loop', '--for=condition=Ready', '--timeout=2s', ...SETTLED]);
    expect(waited.exitCode).toBe(1);
    await workshop.run(['delete', 'pod', 'crash-loop', '--now']);
  });

  it('while COMMAND runs, although it restarts and COMMAND exits with 0', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('server', { containers: [crashing('exit 3')] });
    const again = "--for=jsonpath='{.status.containerStatuses[0].restartCount}'=1";
    const wait = `${workshop.commandLine(['wait', 'pod/server']).join(' ')} ${again} --timeout=3m`;
    const apply = ['apply', manifest, '--settle', '0'];
    const { exitCode, stderr } = await workshop.run([...apply, '--', 'sh', '-c', `touch crash; ${wait}`]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'error: pod "server" did not stay Ready while COMMAND was running: container main exited with code 3\n' +
        '  last line of container main:\n    oops\n',
    );
    const ready = `${workshop.commandLine(['wait', 'pod/server']).join(' ')} --for=condition=Ready --timeout=3m`;
    const check = ['--', 'sh', '-c', `touch crash; ${wait} && ${ready}`];
    const restarted = await workshop.run([...apply, '--allow-restarts', ...check]);
    expect([restarted.exitCode, restarted.stderr.replaceAll(WAITING, '')]).toEqual([0, '']);
    expect(await workshop.run([...apply, '--', 'sh', '-c', `touch crash; ${wait}; exit 7`])).toMatchObject({
      exitCode: 7,
    });
  });

  it('while COMMAND runs, and has not restarted at its end', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('server', { restartPolicy: 'Never', containers: [crashing('exit 3')] });
    const wait = workshop.commandLine(['wait', 'pod/server', '--timeout=3m']).join(' ');
    const failed = `${wait} --for=jsonpath={.status.phase}=Failed`;
    const flags = ['--settle', '0', '--allow-restarts', '--', 'sh', '-c', `touch crash; ${failed}`];
    const { exitCode, stderr } = await workshop.run(['apply', manifest, ...flags]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('did not stay Ready while COMMAND was running: container main exited with code 3');
  });
});

describe.concurrent('a Pod that stays Ready', () => {
  it('may be deleted or get another image by COMMAND', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('server', { containers: [{ name: 'main', command: ['sleep', '1000'] }] });
    const podrun = workshop.commandLine([]).join(' ');
    const patch = `${podrun} patch pod server -p '{"spec":{"containers":[{"name":"main","image":"alpine"}]}}'`;
    const wait = `${podrun} wait pod/server --timeout=3m`;
    const again = `${wait} '--for=jsonpath={.status.containerStatuses[0].restartCount}=1'`;
    const ready = `${wait} --for=condition=Ready`;
    const check = ['--', 'sh', '-c', `${patch} && ${again} && ${ready} && ${podrun} delete pod server --now`];
    const { exitCode, stderr } = await workshop.run(['apply', manifest, '--settle', '0', ...check]);
    expect([exitCode, stderr.replaceAll(WAITING, '').replaceAll(/^Warning: .*\n/gm, '')]).toEqual([0, '']);
  });

  it('is Ready at once with --settle 0', async (context) => {
    const workshop = workshopFor(context);
    const probe = { exec: { command: ['true'] }, periodSeconds: 1 };
    const probed = workshop.pod('probed', {
      containers: [{ name: 'main', command: ['sleep', '1000'], readinessProbe: probe }],
    });
    const flags = ['--until', 'ready', '--timeout', '3m'];
    expect(await workshop.run(['apply', probed, ...flags, '--settle', '1h'])).toMatchObject({ exitCode: 0 });
    const plain = workshop.pod('plain', { containers: [{ name: 'main', command: ['sleep', '1000'] }] });
    expect(await workshop.run(['apply', plain, ...flags, '--settle', '0'])).toMatchObject({ exitCode: 0 });
  });

  it('is not waited for longer than --timeout', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('plain', { containers: [{ name: 'main', command: ['sleep', '1000'] }] });
    const flags = ['--until', 'Ready', '--settle', '2h', '--timeout', LIMIT];
    const { exitCode, stderr } = await untilTimeIsUp(
      (more) => workshop.run(['apply', manifest, ...flags], {}, more),
      (shown) => shown.includes('ContainersReady, Ready'),
    );
    expect(exitCode).toBe(124);
    expect(stderr).toContain('error: timed out after 5m\nevery Pod is Ready, but not for 2h yet (--settle)\n');
  });

  it('has to settle for `wait`, too', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('plain', { containers: [{ name: 'main', command: ['sleep', '1000'] }] });
    await workshop.run(['apply', '--detach', manifest]);
    const wait = ['wait', 'pod/plain', '--for=condition=Ready', '--timeout=3m'];
    expect(await workshop.run([...wait, '--settle=0'])).toMatchObject({ exitCode: 0 });
    expect(await workshop.run([...wait, '--settle=1h', '--timeout=0'])).toMatchObject({ exitCode: 1 });
    expect(await workshop.run(wait)).toMatchObject({ exitCode: 0 });
    await workshop.run(['delete', 'pod', 'plain', '--now']);
  });
});

describe.concurrent('rules of a goal', () => {
  it.for([
    [['--settle', '2s'], 'error: --settle needs a goal that includes Ready'],
    [['--allow-restarts', '--until', 'succeeded'], 'error: --allow-restarts needs a goal that includes Ready'],
    [['--settle', '-1s', '--until', 'ready'], 'error: --settle cannot be negative'],
    [['--settle', 'soon', '--until', 'ready'], 'error: invalid argument "soon" for "--settle" flag'],
  ] as const)('%j', async ([flags, message], context) => {
    const { exitCode, stderr } = await workshopFor(context).run(['apply', CRASH_LOOP, ...flags]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it('are refused for other goals', async (context) => {
    const wait = ['wait', 'pod/x', '--for=delete', '--settle=2s'];
    expect(await workshopFor(context).run(wait)).toMatchObject({ exitCode: 2 });
  });
});

describe.concurrent('apply ends when its Pods can never start', () => {
  it('and names the settings to add', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('web', {
      containers: [
        { name: 'main', image: 'node:20' },
        { name: 'api', image: 'ghcr.io/acme/api:1' },
      ],
    });
    const { exitCode, stderr } = await workshop.run(['apply', manifest]);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'error: the run cannot finish: the remaining Pods wait for images that have no program\n' +
        'pod/web: container main waits for image "node:20"\n' +
        'pod/web: container api waits for image "ghcr.io/acme/api:1"\n' +
        '  map the images to programs of this machine in podrun.yaml:\n' +
        '    images:\n' +
        '      "node:20": ["node"]\n' +
        '      "ghcr.io/acme/api:1": ["COMMAND"]\n' +
        "  or on the command line: --image 'node:20=node'\n" +
        '  or give the containers a command in the manifest\n',
    );
  });

  it('but not while a container runs', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('web', {
      restartPolicy: 'Never',
      containers: [
        { name: 'main', image: 'ghcr.io/acme/api:1' },
        { name: 'other', command: ['sh', '-c', 'until test -e go; do sleep 0.1; done'] },
      ],
    });
    const podrun = workshop.begin(['apply', manifest]);
    await podrun.until(({ stdout }) => stdout.includes('ImagePullBackOff'));
    await workshop.run(['wait', 'pod/web', '--for=jsonpath={.status.containerStatuses[1].ready}=true', '--timeout=3m']);
    writeFileSync(path.join(workshop.folder, 'go'), '');
    const { exitCode, stderr } = await podrun.ended;
    expect(exitCode).toBe(1);
    expect(stderr).toContain('the run cannot finish');
  });
});

describe.concurrent('COMMAND has variables with', () => {
  it('the address of the Pod, its ports and the state folder', async (context) => {
    const workshop = workshopFor(context);
    const ports = [{ name: 'http', containerPort: 8080 }];
    const manifest = workshop.pod('my-web', { containers: [{ name: 'main', command: ['sleep', '1000'], ports }] });
    const podrun = workshop.commandLine(['get', 'pod', 'my-web']).join(' ');
    const check = `env | grep ^PODRUN_ | sort; ${podrun} -o 'jsonpath={.status.podIP}'`;
    const apply = ['apply', manifest, '--settle', '0', '--no-logs', '--', 'sh', '-c', check];
    const { exitCode, stdout } = await workshop.run(apply);
    expect(exitCode).toBe(0);
    const [, ip = ''] = /^PODRUN_IP=(.*)$/m.exec(stdout) ?? [];
    expect(ip).toMatch(/^127\./);
    for (const line of [
      `PODRUN_MY_WEB_IP=${ip}`,
      'PODRUN_MY_WEB_PORT_8080=8080',
      'PODRUN_MY_WEB_PORT_HTTP=8080',
      'PODRUN_NAMESPACE=default',
      'PODRUN_PORT_8080=8080',
      'PODRUN_PORT_HTTP=8080',
      `PODRUN_STATE_DIR=${workshop.stateDir}`,
    ])
      expect(stdout.split('\n')).toContain(line);
    expect(stdout).toContain(`\n${ip}`);
  });
});
