import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../patience.ts';
import { runHere } from './in-process.ts';
import { storeOf } from './prepared-store.ts';
import { type Podrun, Workshop } from './workshop.ts';

// Verbs for kinds that podrun only stores.
let workshop: Workshop;
beforeEach(() => {
  workshop = new Workshop();
});
afterEach(() => workshop.close());

const FLEETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'fleets.sea.example.com' },
  spec: {
    group: 'sea.example.com',
    scope: 'Namespaced',
    names: { plural: 'fleets', singular: 'fleet', kind: 'Fleet' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.ships', statusReplicasPath: '.status.ships' } },
        additionalPrinterColumns: [{ name: 'Ships', type: 'integer', jsonPath: '.spec.ships' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { ships: { type: 'integer', maximum: 9 } } },
              status: { type: 'object', properties: { ships: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
};
const fleet = (name: string, ships: number): object => ({
  apiVersion: 'sea.example.com/v1',
  kind: 'Fleet',
  metadata: { name },
  spec: { ships },
});
const CLASS = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'fast' },
  provisioner: 'x',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
};
const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'look' }, rules: [] };

const TOO_MANY = 'spec.ships in body should be less than or equal to 9';

const run = (...args: string[]) => runHere(workshop, args);
const ok = (stdout: string) => ({ exitCode: 0, stdout, stderr: '' });
const failed = (stderr: string, exitCode = 1) => ({ exitCode, stdout: '', stderr });

function stored(): void {
  const store = storeOf(workshop);
  store.create('customresourcedefinitions', FLEETS);
  store.create('fleets.sea.example.com', fleet('north', 3) as never);
  store.create('storageclasses', CLASS);
}

describe('scale', () => {
  const ships = async (): Promise<string> => (await run('get', 'fleet/north', '-o', 'jsonpath={.spec.ships}')).stdout;

  it('changes the replicas of a custom kind where its definition has them', async () => {
    stored();
    expect(await run('scale', 'fleet/north', '--replicas=5')).toEqual(ok('fleet.sea.example.com/north scaled\n'));
    expect(await ships()).toBe('5');
    expect(await run('scale', 'fleets', '--all', '--replicas=4', '--current-replicas=3')).toEqual(
      failed('error: Expected replicas to be 3, was 5\n'),
    );
    expect(await run('scale', 'fleet/north', '--replicas=10')).toEqual(
      failed(`The Fleet "north" is invalid: spec.ships: Invalid value: 10: ${TOO_MANY}\n`),
    );
    expect(await run('scale', 'fleet', 'north', '--replicas=6', '--timeout=10ms')).toEqual({
      exitCode: 1,
      stdout: 'fleet.sea.example.com/north scaled\n',
      stderr: 'error: timed out waiting for "north" to be synced\n',
    });
    expect(await ships()).toBe('6');
  });

  it('refuses a kind without replicas, in the words of the API server', async () => {
    stored();
    expect(await run('scale', 'storageclass/fast', '--replicas=1')).toEqual(
      failed('Error from server (NotFound): the server could not find the requested resource\n'),
    );
  });
});

describe('patch', () => {
  it('changes the status with the rest where the definition has no subresource for it', async () => {
    const [version] = FLEETS.spec.versions;
    const { subresources: _, ...plain } = version!;
    const store = storeOf(workshop);
    store.create('customresourcedefinitions', { ...FLEETS, spec: { ...FLEETS.spec, versions: [plain] } });
    store.create('fleets.sea.example.com', fleet('north', 3) as never);
    const patch = (body: string) => run('patch', 'fleet/north', '--type=merge', '-p', body);
    const both = async () => (await run('get', 'fleet/north', '-o', 'jsonpath={.spec} {.status}')).stdout;
    expect(await patch('{"spec":{"ships":4},"status":{"ships":2}}')).toEqual(
      ok('fleet.sea.example.com/north patched\n'),
    );
    expect(await both()).toBe('{"ships":4} {"ships":2}');
    expect(await patch('{"status":null}')).toEqual(ok('fleet.sea.example.com/north patched\n'));
    expect(await both()).toBe('{"ships":4} ');
  });
});

describe('create -f', { timeout: 2 * PATIENCE_MS }, () => {
  const write = (name: string, ...objects: object[]): string =>
    workshop.file(name, objects.map((object) => JSON.stringify(object)).join('\n---\n'));

  it('creates objects of every kind, and says which exist', async () => {
    const file = write('all.json', fleet('north', 3), CLASS, FLEETS, ROLE);
    const { exitCode, stdout, stderr } = await workshop.run(['create', '-f', file]);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout.trimEnd().split('\n').toSorted()).toEqual([
      'customresourcedefinition.apiextensions.k8s.io/fleets.sea.example.com created',
      'fleet.sea.example.com/north created',
      'role.rbac.authorization.k8s.io/look created',
      'storageclass.storage.k8s.io/fast created',
    ]);
    const applied = 'jsonpath={.metadata.annotations}{.metadata.managedFields[*].manager}';
    expect((await run('get', 'fleet/north', '-o', applied, '--show-managed-fields')).stdout).toBe('kubectl-create');
    const again = await run('create', '-f', file);
    expect([again.exitCode, again.stdout]).toEqual([1, '']);
    const prefix = `Error from server (AlreadyExists): error when creating "${file}":`;
    expect(again.stderr.trimEnd().split('\n').toSorted()).toEqual([
      `${prefix} customresourcedefinitions.apiextensions.k8s.io "fleets.sea.example.com" already exists`,
      `${prefix} fleets.sea.example.com "north" already exists`,
      `${prefix} roles.rbac.authorization.k8s.io "look" already exists`,
      `${prefix} storageclasses.storage.k8s.io "fast" already exists`,
    ]);
  });

  it('makes up names, checks by the schema, and prints', async () => {
    stored();
    const many = write('many.json', { ...fleet('', 1), metadata: { generateName: 'south-' } });
    const made = await workshop.run(['create', '-f', many]);
    expect([made.exitCode, made.stderr]).toEqual([0, '']);
    expect(made.stdout).toMatch(/^fleet\.sea\.example\.com\/south-[a-z0-9]{5} created\n$/);
    const wrong = await workshop.run(['create', '-f', write('wrong.json', fleet('wrong', 10))]);
    expect([wrong.exitCode, wrong.stdout]).toEqual([1, '']);
    const reason = `Fleet.sea.example.com "wrong" is invalid: spec.ships: Invalid value: 10: ${TOO_MANY}`;
    expect(wrong.stderr).toBe(`error: fleet.sea.example.com/wrong: ${reason}\n`);
    const file = write('good.json', fleet('good', 1));
    expect(await run('create', '-f', file, '--dry-run=server')).toEqual(
      ok('fleet.sea.example.com/good created (server dry run)\n'),
    );
    expect(await run('create', '-f', file, '--dry-run=client', '-o', 'jsonpath={.spec.ships}')).toEqual(ok('1'));
    const printed = await workshop.run(['create', '-f', file, '-o', 'jsonpath={.metadata.generation}']);
    expect([printed.exitCode, printed.stdout]).toEqual([0, '1']);
  });

  it('refuses a kind that nothing defines', async () => {
    const file = write('none.json', fleet('north', 1), ROLE);
    const { exitCode, stdout, stderr } = await run('create', '-f', file);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(
      `error: resource mapping not found for name: "north" namespace: "" from "${file}": no matches for kind "Fleet"`,
    );
  });

  it('knows the objects that every cluster has', async () => {
    const admin = { ...ROLE, kind: 'ClusterRole', metadata: { name: 'cluster-admin' } };
    const { stderr } = await run('create', '-f', write('admin.json', admin));
    expect(stderr).toContain('clusterroles.rbac.authorization.k8s.io "cluster-admin" already exists');
  });
});

describe('get -w', () => {
  const stop = async (podrun: Podrun): Promise<string> => {
    podrun.signal('SIGINT');
    return (await podrun.ended).stdout;
  };

  it('prints the changes of a custom kind, in the columns of its definition', async () => {
    stored();
    const podrun = workshop.start(['get', 'fleets', '-w', '--output-watch-events']);
    await podrun.until(({ stdout }) => stdout.includes('north'));
    await run('scale', 'fleet/north', '--replicas=7');
    // A watch may leave out a state that another process replaces at once.
    await podrun.until(({ stdout }) => stdout.includes('MODIFIED'));
    await run('delete', 'fleet/north');
    await podrun.until(({ stdout }) => stdout.includes('DELETED'));
    expect((await stop(podrun)).split('\n').map((row) => row.split(/ +/))).toEqual([
      ['EVENT', 'NAME', 'SHIPS'],
      ['ADDED', 'north', '3'],
      ['MODIFIED', 'north', '7'],
      ['DELETED', 'north', '7'],
      [''],
    ]);
  });

  it('prints the changes of a kind that podrun only stores', async () => {
    stored();
    const podrun = workshop.start(['get', 'storageclass/fast', '-w', '-L', 'speed', '--no-headers']);
    await podrun.until(({ stdout }) => stdout.includes('fast'));
    await run('label', 'storageclass/fast', 'speed=high');
    await podrun.until(({ stdout }) => stdout.includes('high'));
    expect((await stop(podrun)).trimEnd().split('\n')).toHaveLength(2);
  });
});
