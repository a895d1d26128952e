import { expect, it } from 'vitest';
import { runHere } from './in-process.ts';
import { storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer', maximum: 9 },
                  parts: {
                    type: 'array',
                    items: { type: 'object', properties: { color: { type: 'string', enum: ['red'] } } },
                  },
                },
                'x-kubernetes-validations': [{ rule: 'self.size != 5', message: 'five is taken' }],
              },
            },
          },
        },
      },
    ],
  },
};
const gadget = (spec: string): string =>
  `apiVersion: shop.example.com/v1\nkind: Gadget\nmetadata:\n  name: lamp\nspec:\n${spec}`;
const MONITOR = 'apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: { name: app }\n';

/** Validates a manifest. */
async function validated(text: string, ...flags: string[]): Promise<{ exitCode: number; lines: string[] }> {
  const { exitCode, stdout } = await runHere(workshop, ['validate', workshop.file('a.yaml', text), ...flags]);
  return {
    exitCode,
    lines: stdout
      .split('\n')
      .filter((line) => /^[^ ]/.test(line))
      .map((line) => line.replace(/^.*a\.yaml:/, '')),
  };
}

const UNDEFINED =
  '1:1: warning: ServiceMonitor app: no matches for kind "ServiceMonitor" in version "monitoring.coreos.com/v1": ' +
  'no CustomResourceDefinition defines it, ignored';

it('warns of a kind that nothing defines, as apply does; --strict refuses it', async () => {
  expect(await validated(MONITOR)).toEqual({ exitCode: 0, lines: [UNDEFINED] });
  expect((await validated(MONITOR, '--strict')).exitCode).toBe(1);
});

const UNCHECKED_RULES =
  '1:1: error: Gadget lamp: <nil>: Invalid value: null: some validation rules were not checked because the object ' +
  'was invalid; correct the existing errors to complete validation';

const CASES = [
  ['  size: 3\n', 0, []],
  ['  parts: []\n', 1, [UNCHECKED_RULES, '6:3: error: Gadget lamp: spec.size: Required value']],
  [
    '  size: 12\n  colour: red\n',
    1,
    [
      '6:9: error: Gadget lamp: spec.size: Invalid value: 12: spec.size in body should be less than or equal to 9',
      '7:11: error: Gadget lamp: unknown field "spec.colour"',
    ],
  ],
  [
    '  size: 1\n  parts:\n  - color: red\n  - color: blue\n',
    1,
    [
      UNCHECKED_RULES,
      '9:12: error: Gadget lamp: spec.parts[1].color: Unsupported value: "blue": supported values: "red"',
    ],
  ],
  ['  size: 5\n', 1, ['6:3: error: Gadget lamp: spec: Invalid value: five is taken']],
] as const;

it.each(CASES)(
  'checks a custom resource against a definition of the state folder: %j',
  async (spec, exitCode, lines) => {
    storeOf(workshop).create('customresourcedefinitions', DEFINITION);
    expect(await validated(gadget(spec))).toEqual({ exitCode, lines });
  },
);

it('checks against definitions of the manifests, whatever the order of the files', async () => {
  const definition = workshop.file('z.json', JSON.stringify(DEFINITION));
  const [, second] = CASES;
  expect(await validated(gadget(second[0]), definition)).toEqual({ exitCode: second[1], lines: second[2] });
});

it('checks definitions themselves, and says of a kind with a wrong one that it is not checked', async () => {
  const wrong = { ...DEFINITION, spec: { ...DEFINITION.spec, scope: 'Everywhere' } };
  const { exitCode, lines } = await validated(`${gadget('  size: 12\n')}---\n${JSON.stringify(wrong)}\n`);
  expect(exitCode).toBe(1);
  expect(lines).toEqual([
    '1:1: note: Gadget lamp: not checked: podrun does not know the fields of Gadget',
    expect.stringContaining(
      'CustomResourceDefinition gadgets.shop.example.com: spec.scope: Unsupported value: "Everywhere"',
    ),
  ]);
});
