import { describe, expect, it } from 'vitest';
import { decodeObject, type DecodeResult } from '../../../src/manifest/decode/decode.ts';
import { formatFieldError } from '../../../src/manifest/base/field-error.ts';
import { type MapNode, SourceText } from '../../../src/manifest/read/source-node.ts';
import { readYaml } from '../../../src/manifest/read/yaml-reader.ts';

function decode(text: string, type = 'Pod'): DecodeResult {
  const source = new SourceText(text, 1);
  return decodeObject(readYaml(source) as MapNode, type, { lineOf: (offset) => source.positionAt(offset).line });
}

/** The mistakes with their hints, one line each. */
const linesOf = ({ problems }: DecodeResult): string[] =>
  problems.map(({ error }) => formatFieldError(error) + (error.hint === undefined ? '' : ` - ${error.hint}`));

const inContainer = (fields: string): string => `spec: {containers: [{${fields}}]}`;
const AT = 'spec.containers[0]';

describe('decoding', () => {
  it('leaves out nulls, sorts fields as the API does and maps by key', () => {
    const { object, problems } = decode(
      'status: ~\nspec: {hostname: ~, containers: [{image: i, name: app}]}\n' +
        'metadata: {labels: {b: x, a: ~}}\nkind: Pod\n',
    );
    expect(problems).toEqual([]);
    expect(JSON.stringify(object)).toBe(
      '{"kind":"Pod","metadata":{"labels":{"a":"","b":"x"}},"spec":{"containers":[{"name":"app","image":"i"}]}}',
    );
  });

  it('leaves out the empty lists and maps that Go omits', () => {
    const { object, problems } = decode(
      'metadata: {annotations: {}, labels: {a: b}}\n' +
        'spec: {nodeSelector: {}, affinity: {}, volumes: [{name: v, emptyDir: {}}], ' +
        'containers: [{name: a, env: []}]}\n',
    );
    expect(problems).toEqual([]);
    expect(object).toEqual({
      metadata: { labels: { a: 'b' } },
      spec: { volumes: [{ name: 'v', emptyDir: {} }], affinity: {}, containers: [{ name: 'a' }] },
    });
    expect(decode('rules: []', 'rbac.Role').object).toEqual({ rules: [] });
  });

  it('takes nulls in lists and maps for the zero value', () => {
    const text = inContainer('command: [a, ~], ports: [~], resources: {limits: {cpu: ~}}');
    expect(decode(text).object).toEqual({
      spec: { containers: [{ command: ['a', ''], ports: [{}], resources: { limits: { cpu: '0' } } }] },
    });
  });

  it('brings quantities and base64 into canonical form', () => {
    expect(decode(inContainer('resources: {limits: {cpu: 0.5, memory: 1024Mi}}')).object).toMatchObject({
      spec: { containers: [{ resources: { limits: { cpu: '500m', memory: '1Gi' } } }] },
    });
    expect(decode('data: {a: "YWxp\\nY2U="}', 'Secret').object).toEqual({ data: { a: 'YWxpY2U=' } });
  });

  it.each([
    ['value: 8080', 'env[0].value: Invalid type: expected string, got number - quote it: "8080"'],
    ['value: yes', 'env[0].value: Invalid type: expected string, got boolean - quote it: "yes"'],
    ['value: {a: b}', 'env[0].value: Invalid type: expected string, got object - quote the text, ": " starts a map'],
    ['value: [a]', 'env[0].value: Invalid type: expected string, got list'],
  ])('wants strings: %s', (field, line) => {
    expect(linesOf(decode(inContainer(`env: [{${field}}]`)))).toEqual([`${AT}.${line}`]);
  });

  it.each([
    ['command: sleep  3600', 'command: Invalid type: expected list, got string - use a list: ["sleep", "3600"]'],
    ['ports: {containerPort: 80}', 'ports: Invalid type: expected list, got object - begin each item with "- "'],
    ['ports: 80', 'ports: Invalid type: expected list, got number'],
    ['ports: [80]', 'ports[0]: Invalid type: expected object, got number'],
    ['securityContext: yes', 'securityContext: Invalid type: expected object, got boolean'],
    ['tty: "true"', 'tty: Invalid type: expected boolean, got string - write true without quotes'],
    ['tty: 1', 'tty: Invalid type: expected boolean, got number'],
    [
      'ports: [{containerPort: 99999999999}]',
      'ports[0].containerPort: Invalid type: expected integer (32-bit), got number 99999999999',
    ],
    [
      'ports: [{containerPort: 1.5}]',
      'ports[0].containerPort: Invalid type: expected integer (32-bit), got number 1.5',
    ],
    [
      'ports: [{containerPort: "80"}]',
      'ports[0].containerPort: Invalid type: expected integer (32-bit), got string - write 80 without quotes',
    ],
    [
      'livenessProbe: {periodSeconds: 1m}',
      'livenessProbe.periodSeconds: Invalid type: expected integer (32-bit), got string - give seconds as a number: 60',
    ],
    [
      'livenessProbe: {tcpSocket: {port: 1.5}}',
      'livenessProbe.tcpSocket.port: Invalid type: expected integer or string, got number 1.5',
    ],
  ])('says what else was wanted: %s', (field, line) => {
    expect(linesOf(decode(inContainer(field)))).toEqual([`${AT}.${line}`]);
  });

  const SHAPE = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  it.each([
    ['128MB', `"128MB": ${SHAPE} - the unit is M or Mi`],
    ['64K', '"64K": unable to parse quantity\'s suffix - the unit is k or Ki'],
    ['1 Gi', `"1 Gi": ${SHAPE} - write 1Gi`],
    ['true', `true: ${SHAPE}`],
    ['[1]', `[1]: ${SHAPE}`],
  ])('wants quantities: %s', (text, rest) => {
    const lines = linesOf(decode(inContainer(`resources: {limits: {memory: ${text}}}`)));
    expect(lines).toEqual([`${AT}.resources.limits[memory]: Invalid value: ${rest}`]);
  });

  it('never shows what may be a secret', () => {
    const lines = linesOf(decode('data: {password: "hunter2!"}', 'Secret'));
    expect(lines).toEqual(['data[password]: Invalid value: illegal base64 data at input byte 7']);
  });

  it('names maps by dots in mistakes about types', () => {
    expect(linesOf(decode('metadata: {labels: {a.b/c: 1}}'))).toEqual([
      'metadata.labels.a.b/c: Invalid type: expected string, got number - quote it: "1"',
    ]);
  });

  it('finds all mistakes at once, in the order of keys', () => {
    const text = `qux: 4\nmetadata: {name: 1}\n${inContainer('tty: 1, foo: 1, name: 2, bar: 2')}\nkind: Pod`;
    expect(decode(text).problems.map(({ error }) => error.path)).toEqual([
      'metadata.name',
      'qux',
      `${AT}.bar`,
      `${AT}.foo`,
      `${AT}.name`,
      `${AT}.tty`,
    ]);
  });

  it('stops after a hundred mistakes', () => {
    const fields = Array.from({ length: 300 }, (_, index) => `x${index}: 1`).join(', ');
    expect(decode(`{${fields}}`).problems).toHaveLength(100);
  });

  it('names a repeated key once, with the line of the first', () => {
    const { object, problems } = decode('kind: A\nmetadata: {labels: {a: x}}\nkind: B\nkind: C\n');
    expect(object['kind']).toBe('C');
    expect(problems).toEqual([
      {
        offset: 35,
        error: {
          path: 'kind',
          type: 'Duplicate field',
          detail: 'duplicate field "kind"',
          hint: 'first given at line 1',
        },
      },
    ]);
  });
});

describe('unknown fields', () => {
  it.each([
    ['Pod', 'spec: {contaners: []}', 'did you mean "containers"?'],
    ['Pod', inContainer('envfrom: []'), 'did you mean "envFrom"?'],
    ['Pod', inContainer('imagePullpolicy: x'), 'did you mean "imagePullPolicy"?'],
    ['Pod', 'spec: {image: i}', 'did you mean "spec.containers[].image"?'],
    ['Pod', 'spec: {volumes: [{secret: {name: s}}]}', 'did you mean "secretName"?'],
    ['Pod', 'spec: {volumes: [{configMap: {configMapName: s}}]}', 'did you mean "name"?'],
    [
      'Pod',
      inContainer('livenessProbe: {exec: {periodSeconds: 1}}'),
      `did you mean "${AT}.livenessProbe.periodSeconds"?`,
    ],
    ['batch.Job', 'spec: {containers: []}', 'did you mean "spec.template.spec.containers"?'],
    ['batch.CronJob', 'spec: {containers: []}', 'did you mean "spec.jobTemplate.spec.template.spec.containers"?'],
    ['Pod', 'spec: {volumes: [{emptyDir: {mode: 1}}]}', 'known to Kubernetes from v1.37 on'],
    ['Pod', inContainer('livenessProbe: {httpGet: {protocol: HTTP2}}'), 'known to Kubernetes from v1.37 on'],
    ['Pod', 'spec: {volumes: [{tmpfs: {}}]}', undefined],
    ['ConfigMap', 'spec: {}', undefined],
    ['Pod', 'toString: 1', undefined],
  ])('of a %s: %s', (type, text, hint) => {
    const { problems } = decode(text, type);
    expect(problems.map(({ error }) => [error.type, error.hint])).toEqual([['Unknown field', hint]]);
  });
});
