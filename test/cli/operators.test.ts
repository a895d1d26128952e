import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { needs } from '../needs.ts';
import { PATIENCE_MS } from '../patience.ts';
import { type Ended, type Workshop, workshopFor } from './workshop.ts';

const FOLDER = path.join(import.meta.dirname, 'operators');
/** Programs find the credentials of their account at the usual place. */
const NAMESPACES = { PODRUN_RUNTIME: 'namespace' };
const WAIT = '--timeout=120s';

const succeeds = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;

/** Runs an operator with all that it needs, and podrun commands one after the other as the check. */
async function runOperator(
  workshop: Workshop,
  name: string,
  replacements: Readonly<Record<string, string>>,
  check: readonly string[],
): Promise<Ended> {
  let manifest = readFileSync(path.join(FOLDER, `${name}.yaml`), 'utf8').replaceAll('FOLDER', FOLDER);
  for (const [word, text] of Object.entries(replacements)) manifest = manifest.replaceAll(word, text);
  const file = workshop.file(`${name}.yaml`, manifest);
  return workshop.start(['apply', file, '--', 'sh', '-ec', check.join('\n')], NAMESPACES).ended;
}

describe('one apply runs an operator with its custom resource', { concurrent: true, timeout: 8 * PATIENCE_MS }, () => {
  it(
    'in Python, with the official client library',
    needs('namespaces', { 'python3-kubernetes': succeeds('/usr/bin/python3', '-c', 'import kubernetes') }),
    async (context) => {
      const workshop = workshopFor(context);
      const podrun = workshop.commandLine([]).join(' ');
      const { exitCode, stdout } = await runOperator(workshop, 'fleet', {}, [
        `${podrun} wait fleet/north --for=jsonpath='{.status.ships}'=3 ${WAIT}`,
        `${podrun} get configmap north-0 north-1 north-2`,
        `${podrun} patch fleet/north --type=merge -p '{"spec":{"ships":1}}'`,
        `${podrun} wait fleet/north --for=jsonpath='{.status.ships}'=1 ${WAIT}`,
        `${podrun} wait configmap/north-1 configmap/north-2 --for=delete ${WAIT}`,
        `${podrun} get configmap north-0`,
      ]);
      expect(stdout).toContain('fleet north has 1 ships');
      expect(exitCode).toBe(0);
    },
  );

  it(
    'in Ruby, with a webhook that refuses another one',
    needs('namespaces', 'program openssl', {
      'ruby-kubeclient': succeeds('/usr/bin/ruby', '-e', 'require "kubeclient"'),
    }),
    async (context) => {
      const workshop = workshopFor(context);
      const podrun = workshop.commandLine([]).join(' ');
      const { certificate, key } = madeCertificate(workshop.folder, 'tickets.default.svc');
      workshop.file(
        'bad.yaml',
        'apiVersion: fair.example.com/v1\nkind: Ticket\nmetadata: {name: bad}\nspec: {price: -1}\n',
      );
      const replacements = { CERTIFICATE: certificate, KEY: key };
      const { exitCode, stdout } = await runOperator(workshop, 'ticket', replacements, [
        `${podrun} wait ticket/good --for=jsonpath='{.status.state}'=Open ${WAIT}`,
        `! ${podrun} apply bad.yaml >refusal 2>&1`,
        'cat refusal',
        `! ${podrun} get ticket/bad`,
      ]);
      expect(stdout).toContain('opened good');
      expect(stdout).toContain(
        'admission webhook "tickets.fair.example.com" denied the request: a ticket costs something',
      );
      expect(exitCode).toBe(0);
    },
  );
  it(
    'without libraries, with a conversion webhook between the versions of its definition',
    needs('namespaces', 'program openssl'),
    async (context) => {
      const workshop = workshopFor(context);
      const podrun = workshop.commandLine([]).join(' ');
      const { certificate, key } = madeCertificate(workshop.folder, 'parcels.default.svc');
      const replacements = { CERTIFICATE: certificate, KEY: key, NODE: process.execPath };
      const { exitCode, stdout } = await runOperator(workshop, 'parcel', replacements, [
        `${podrun} wait parcel/gift --for=jsonpath='{.status.postage}'=5 ${WAIT}`,
        `echo stored $(${podrun} get parcels.v2.mail.example.com gift -o jsonpath='{.spec.grams}') grams`,
        `${podrun} patch parcel/gift --type=merge -p '{"spec":{"grams":1250}}'`,
        `${podrun} wait parcel/gift --for=jsonpath='{.status.postage}'=9 ${WAIT}`,
        `${process.execPath} ${path.join(FOLDER, 'read-v1.mjs')}`,
      ]);
      expect(stdout).toMatch(/parcel\.mail\.example\.com\/gift waits: .*conversion webhook for /);
      expect(stdout).toContain('stored 250 grams');
      expect(stdout).toContain('parcel gift costs 9');
      expect(stdout).toContain('in the first version: 1.25 kilograms');
      expect(exitCode).toBe(0);
    },
  );
});

/** A certificate for a name, and its key, both in base64. */
function madeCertificate(folder: string, name: string): { readonly certificate: string; readonly key: string } {
  const [certificate, key] = ['tls.crt', 'tls.key'].map((file) => path.join(folder, file)) as [string, string];
  const files = ['-out', certificate, '-keyout', key];
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  const how = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  expect(succeeds('openssl', 'req', '-x509', ...how, ...files, ...names)).toBe(true);
  return { certificate: readFileSync(certificate, 'base64'), key: readFileSync(key, 'base64') };
}
