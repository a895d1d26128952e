import { afterAll, beforeAll, expect, it } from 'vitest';
import { runHere } from './in-process.ts';
import { storeOf } from './prepared-store.ts';
import { Workshop } from './workshop.ts';

// The verbs read what clients of `podrun serve` have stored while no server runs, too.
const workshop = new Workshop();

const GADGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    scope: 'Cluster',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', shortNames: ['gd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A gadget of the shop.',
            properties: {
              spec: {
                type: 'object',
                description: 'What it is.',
                required: ['size'],
                properties: {
                  size: { type: 'integer', description: 'Its width in mm.' },
                  color: { type: 'string', enum: ['red', 'blue'] },
                  parts: { type: 'array', items: { type: 'object', properties: { weight: { type: 'number' } } } },
                  tags: { type: 'object', additionalProperties: { type: 'string' } },
                },
              },
            },
          },
        },
      },
    ],
  },
};
const GADGET = { apiVersion: 'shop.example.com/v1', kind: 'Gadget', metadata: { name: 'lamp' }, spec: { size: 3 } };
const CLASS = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'fast' }, provisioner: 'x' };

const QUICK = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttributesClass',
  metadata: { name: 'quick' },
  driverName: 'x',
  parameters: { iops: '1' },
};

beforeAll(() => {
  const store = storeOf(workshop);
  store.create('customresourcedefinitions', GADGETS);
  store.create('gadgets.shop.example.com', GADGET);
  store.create('storageclasses', CLASS);
  store.create('volumeattributesclasses', QUICK);
});
afterAll(() => workshop.close());

const printed = async (line: string): Promise<string> => {
  const { stdout, stderr } = await runHere(workshop, line.split(' '));
  return `${stdout}${stderr}`;
};

it.each([
  ['get sc -o name', 'storageclass.storage.k8s.io/fast\n'],
  ['get gd --no-headers', 'lamp   3\n'],
  ['get gadgets.shop.example.com -o wide', 'NAME   SIZE   COLOR\nlamp   3      \n'],
  ['get gadget/lamp -o jsonpath={.spec.size}{.metadata.namespace}', '3'],
  ['get gadget other', 'Error from server (NotFound): gadgets.shop.example.com "other" not found\n'],
])('%s', async (line, output) => {
  expect(await printed(line)).toBe(output);
});

it('describe shows the fields of any kind', async () => {
  const text = await printed('describe gadget lamp');
  expect(text).toMatch(
    /^Name: +lamp\nNamespace: *\n[^]*API Version: +shop.example.com\/v1\nKind: +Gadget\n[^]*Size: +3\n/,
  );
  expect(await printed('describe gadgets')).toBe(text);
  expect(await printed('describe volumeattributesclass quick')).toMatch(/^Name: +quick\n[^]*DriverName: +x\n/);
});

it('events are about one object of any kind', async () => {
  const about = { apiVersion: 'shop.example.com/v1', kind: 'Gadget', name: 'lamp', namespace: 'default' };
  const event = { apiVersion: 'v1', kind: 'Event', type: 'Normal', message: 'lit', reason: 'Lit' };
  storeOf(workshop).create('events', { ...event, metadata: { name: 'lamp.1' }, involvedObject: about });
  expect(await printed('events --for gadget/lamp --no-headers')).toMatch(/ Normal +Lit +Gadget\/lamp +lit\n$/);
  expect(await printed('events --for gd/other')).toBe('No events found in default namespace.\n');
});

it('explain shows the fields of a definition, as kubectl does', async () => {
  expect(await printed('explain gadget.spec')).toBe(
    [
      'GROUP:      shop.example.com',
      'KIND:       Gadget',
      'VERSION:    v1',
      '',
      'FIELD: spec <Object>',
      '',
      '',
      'DESCRIPTION:',
      '    What it is.',
      '    ',
      'FIELDS:',
      '  color\t<string>',
      '  enum: red, blue',
      '    <no description>',
      '',
      '  parts\t<[]Object>',
      '    <no description>',
      '',
      '  size\t<integer> -required-',
      '    Its width in mm.',
      '',
      '  tags\t<map[string]string>',
      '    <no description>',
      '',
      '',
      '',
    ].join('\n'),
  );
  const whole = await printed('explain gadget --recursive');
  expect(whole).toContain('  metadata\t<ObjectMeta>\n    annotations\t<map[string]string>\n');
  expect(whole).toContain('    parts\t<[]Object>\n      weight\t<number>\n');
  expect(await printed('explain gadget.spec.nothing')).toBe('error: field "nothing" does not exist\n');
  expect(await printed('explain gadget.metadata.nothing')).toBe('error: field "nothing" does not exist\n');
});

it('delete removes them', async () => {
  expect(await printed('delete gadget lamp')).toBe('gadget.shop.example.com "lamp" deleted\n');
  expect(await printed('get gadgets')).toBe('No resources found\n');
  expect(await printed('delete sc fast')).toBe('storageclass.storage.k8s.io "fast" deleted\n');
});
