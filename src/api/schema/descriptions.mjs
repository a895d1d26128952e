// Reads Kubernetes' descriptions of fields from the type declarations of the npm package kubernetes-models, which are
// generated from the OpenAPI schema of Kubernetes. build.mjs puts the result into the program.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '../../..');

/** The packages with the descriptions. Their licences are shipped with podrun. */
export const DESCRIPTION_PACKAGES = [
  'node_modules/@kubernetes-models/apimachinery',
  'node_modules/@kubernetes-models/base',
  'node_modules/kubernetes-models',
];
const [apimachinery, base, models] = DESCRIPTION_PACKAGES;

/** The folder of each group of `k8s-types.json`. */
const FOLDERS = {
  '': `${models}/v1`,
  admissionregistration: `${models}/admissionregistration.k8s.io/v1`,
  apiregistration: `${models}/apiregistration.k8s.io/v1`,
  apps: `${models}/apps/v1`,
  autoscaling: `${models}/autoscaling/v1`,
  autoscalingV1: `${models}/autoscaling/v1`,
  autoscalingV2: `${models}/autoscaling/v2`,
  batch: `${models}/batch/v1`,
  certificates: `${models}/certificates.k8s.io/v1`,
  coordination: `${models}/coordination.k8s.io/v1`,
  discovery: `${models}/discovery.k8s.io/v1`,
  events: `${models}/events.k8s.io/v1`,
  flowcontrol: `${models}/flowcontrol.apiserver.k8s.io/v1`,
  meta: `${apimachinery}/apis/meta/v1`,
  networking: `${models}/networking.k8s.io/v1`,
  node: `${models}/node.k8s.io/v1`,
  policy: `${models}/policy/v1`,
  rbac: `${models}/rbac.authorization.k8s.io/v1`,
  resource: `${models}/resource.k8s.io/v1`,
  scheduling: `${models}/scheduling.k8s.io/v1`,
  storage: `${models}/storage.k8s.io/v1`,
};

const COMMENT = String.raw`\/\*\*\n((?: *\*(?: .*)?\n)*?) *\*\/\n`;
const INTERFACE = new RegExp(String.raw`(?:^${COMMENT})?^export interface (\w+)[^{]*\{\n([^]*?)^\}`, 'm');
const FIELD = new RegExp(String.raw`(?:^    ${COMMENT})?^    "?([\w$]+)"?(\??): (.*)$`, 'gm');
const TEXTS = /^"[^"]*"(?: \| "[^"]*")+;$/;

/**
 * The table of descriptions, by the type names of `k8s-types.json`. Types of later versions of Kubernetes, which the
 * package does not have, are left out.
 * @returns {import('../../manifest/support/explained-field.ts').Descriptions}
 */
export function fieldDescriptions() {
  const { types } = JSON.parse(readFileSync(path.join(import.meta.dirname, 'k8s-types.json'), 'utf8'));
  const common = declared(`${base}/dist/meta.d.ts`).fields;
  return Object.fromEntries(
    Object.entries(types).flatMap(([name, known]) => {
      const [group, bare] = name.includes('.') ? name.split('.') : ['', name];
      const file = `${FOLDERS[group]}/${bare}.d.ts`;
      if (!existsSync(path.join(root, file))) return [];
      const { text, fields } = declared(file);
      const own = Object.keys(known).flatMap((field) => {
        const isCommon = isTypeMeta(field, known) && fields[field]?.text === '';
        const described = isCommon ? { text: common[field].text } : fields[field];
        return described === undefined ? [] : [[field, described]];
      });
      return [[name, { text, fields: Object.fromEntries(own) }]];
    }),
  );
}

function isTypeMeta(field, known) {
  return (field === 'apiVersion' || field === 'kind') && 'metadata' in known;
}

/** The first interface of a file. */
function declared(file) {
  const source = readFileSync(path.join(root, file), 'utf8');
  const found = INTERFACE.exec(source);
  if (found === null) return { text: '', fields: {} };
  const [, comment, , body] = found;
  const fields = [...body.matchAll(FIELD)].map(([, said, name, optional, type]) => [
    name,
    {
      text: plain(said),
      ...(optional === '' ? { required: true } : {}),
      ...(TEXTS.test(type) ? { values: type.match(/"[^"]*"/g).map((value) => JSON.parse(value)) } : {}),
    },
  ]);
  return { text: plain(comment), fields: Object.fromEntries(fields) };
}

/** The text of a comment. */
function plain(comment = '') {
  const lines = comment.split('\n').map((line) => line.replace(/^ *\* ?/, ''));
  return lines.join('\n').trim().replaceAll('\\*', '*');
}
