import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { putLog } from '../../cli/transcripts.ts';
import { Workshop } from '../../cli/workshop.ts';
import { HOW_TO_FETCH, kubectl } from './programs.ts';
import { Stage } from './stage.ts';
import { closeStages, compareWithServer, type Difference, leftOut } from './transcripts.ts';
import { needs } from '../../needs.ts';

const canned = leftOut('the recorded server had this answer prepared, whatever was asked');
const needsOutput = leftOut('the output is that of an invented container: see streams.test.ts');

/** A Pod that the API server refuses in the words of the recording. */
const withMistakes = (spec: string): Readonly<Record<string, string>> => ({
  'pod.yaml': `apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: ${spec}\n`,
});
const strict: Difference = {
  reason: 'kubectl itself refuses a duplicate field',
  files: withMistakes('{ contaners: [], containers: [{ name: web, image: nginx }] }'),
  stderr: (recorded) => recorded.replace(', duplicate field "spec.restartPolicy"', ''),
};
const invalid: Difference = {
  reason: 'the recorded server had the answer prepared: this file leads to it',
  files: withMistakes('{ restartPolicy: Sometimes, containers: [{ image: nginx }] }'),
  stderr: (recorded) => recorded.replace('"Never", "OnFailure"', '"OnFailure", "Never"'),
};
const followed: Difference = {
  reason: 'the container runs for ever',
  meanwhile: (store) => putLog(store, 'default/web/web', 'followed line\n'),
};
const row = (...cells: readonly string[]): string => `${cells.join('  ')}\n`;

describe(
  `kubectl against the server (${HOW_TO_FETCH})`,
  needs({ [`kubectl, ${HOW_TO_FETCH}`]: kubectl !== undefined }),
  () => {
    compareWithServer('apply', {
      'apply-immutable': canned,
      'apply-novalidate-server': leftOut('the recorded server had no OpenAPI'),
      'apply-invalid-many': invalid,
      'apply-strict': strict,
      'v-ssa-conflict': canned,
      'v-strict-apply': strict,
      'v-strict-apply-patch': canned,
      replace: leftOut('the recorded server validated nothing'),
    });
    compareWithServer('create', {
      'create-invalid-many': invalid,
      'create-strict': strict,
      'create-forbidden': canned,
    });
    compareWithServer('delete', { 'delete-timeout': leftOut('a Pod that nobody runs goes at once') });
    compareWithServer('describe', {
      'describe-prefix': {
        reason: 'kubectl 1.36 asks for no events of a Pod that it found by a prefix',
        stdout: (recorded) => recorded.replace(/^Events: .*\n/m, ''),
      },
    });
    compareWithServer('errors', { 'err-500': canned, 'err-401': canned, 'err-405': canned, 'err-429': canned });
    compareWithServer('events', {});
    compareWithServer('explain', { 'explain-no-oapi': leftOut('the recorded server had no OpenAPI') });
    compareWithServer('get', {
      'get-json1': {
        reason: 'the server counts generations',
        stdout: (recorded) => recorded.replace(/("creationTimestamp": .*\n)( +)/, '$1$2"generation": 1,\n$2'),
      },
      'get-badout': { reason: 'kubectl has one format more', stderr: (text) => text.replace('name,', 'kyaml,name,') },
      'get-cm': {
        reason: 'each namespace has the certificate of the server, and each object a time',
        stdout: () => row('NAME', 'DATA', 'AGE') + row('c1', '1', '1s') + row('kube-root-ca.crt', '1', '1s'),
      },
      'get-ns': {
        reason: 'there are the namespaces of every cluster',
        stdout: (recorded) =>
          recorded +
          ['kube-node-lease', 'kube-public', 'kube-system'].map((name) => row(name, 'Active', '1s')).join(''),
      },
    });
    compareWithServer('logs', {
      'logs-ts': {
        reason: 'the log of the test has microseconds',
        stdout: (recorded) => recorded.replaceAll('123456789Z', '123456000Z'),
      },
      'logs-since-frac': leftOut('the time of the recording has passed'),
      'logs-all-prefix': { reason: 'kubectl takes the containers in the order of a map of Go', isUnordered: true },
      'logs-f': followed,
      'logs-f-tail': followed,
      'logs-nonewline': canned,
    });
    compareWithServer('metadata', {});
    compareWithServer('misc', {
      version: {
        reason: 'both have newer versions',
        stdout: () => 'Client Version: v1.36.3\nKustomize Version: v5.8.1\nServer Version: v1.36.2\n',
      },
    });
    compareWithServer('patch', {});
    compareWithServer('port-forward', {});
    compareWithServer('run', {});
    const measured = leftOut('an invented container uses nothing');
    compareWithServer('top', { 'top-pod': measured, 'top-pod-one': measured, 'top-pod-sum': measured });
    compareWithServer('wait', {
      'wait-deleted-while': leftOut('kubectl looks by a watch at once: the deletion may come before or after that'),
    });
    compareWithServer('workloads', {});
    closeStages();
  },
);

describe(
  `kubectl and containers that run (${HOW_TO_FETCH})`,
  needs({ [`kubectl, ${HOW_TO_FETCH}`]: kubectl !== undefined }),
  () => {
    const workshop = new Workshop();
    let stage: Stage;
    // The container has the files of this machine: no file of /data is touched.
    const elsewhere: Difference = {
      reason: 'the recorded container had a root of its own',
      command: (command) => command.replace(':/data/', `:${workshop.folder}/`),
    };

    beforeAll(async () => {
      const bin = path.join(workshop.folder, 'bin');
      mkdirSync(bin);
      writeFileSync(path.join(bin, 'id'), '#!/bin/sh\necho uid=0\n', { mode: 0o755 });
      workshop.file('x', 'data\n');
      const env = [{ name: 'PATH', value: `${bin}:${process.env['PATH']}` }];
      const container = { image: 'busybox', command: ['sleep', '3600'], env };
      const pod = (name: string, spec: object): object => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, labels: { app: name } },
        spec: { terminationGracePeriodSeconds: 0, containers: [{ ...container, name: 'web' }], ...spec },
      });
      const sidecar = { ...container, name: 'proxy', restartPolicy: 'Always' };
      const items = [pod('web', {}), pod('side', { initContainers: [sidecar] })];
      const file = workshop.file('pods.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
      const applied = workshop.start(['apply', '-f', file]);
      await applied.until(({ stdout }) => stdout.split('Running, ContainersReady, Ready').length > 2);
      stage = await Stage.open({ stateDir: workshop.stateDir });
    });

    afterAll(async () => {
      await stage.close();
      await workshop.close();
    });

    compareWithServer(
      'exec',
      {
        'exec-it-notty': needsOutput,
        'exec-noent-126': leftOut('the output of the recorded program is invented'),
        'exec-fallback404': canned,
        'exec-spdy-env': leftOut('the recorded server had no SPDY'),
        attach: needsOutput,
        'attach-it-notty': needsOutput,
        'attach-defaulted': needsOutput,
      },
      () => stage,
    );
    compareWithServer(
      'cp',
      {
        'cp-to': elsewhere,
        'cp-from': leftOut('kubectl ends with the archive, perhaps before the remark of tar has arrived'),
        'cp-defaulted': elsewhere,
        'cp-ns': elsewhere,
      },
      () => stage,
    );
  },
);
