// Fetches Kubernetes' descriptions of fields: the comments in the type declarations of some npm packages, which are
// generated from the OpenAPI schema of Kubernetes. Writes them beside this file, from where the build takes them, with
// the licences of the packages. The packages themselves do not accept each version of Node.js on which podrun is built.
//
//   node src/api/schema/descriptions.mjs

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PACKAGES = ['@kubernetes-models/apimachinery@3.0.2', '@kubernetes-models/base@6.0.1', 'kubernetes-models@5.1.0'];
const [apimachinery, base, models] = PACKAGES.map((name) => name.slice(0, name.lastIndexOf('@')));

const root = mkdtempSync(path.join(tmpdir(), 'podrun-descriptions-'));

/** The folder of each group of `k8s-types.json`. */
const FOLDERS = {
  '': `${models}/v1`,
  admissionregistration: `${models}/admissionregistration.k8s.io/v1`,
  apiregistration: `${models}/apiregistration.k8s.io/v1`,
  apps: `${models}/apps/v1`,
  authentication: `${models}/authentication.k8s.io/v1`,
  authorization: `${models}/authorization.k8s.io/v1`,
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

try {
  PACKAGES.forEach(fetchPackage);
  const types = Object.entries(fieldDescriptions()).map((entry) => entry.map((part) => JSON.stringify(part)).join(':'));
  writeFileSync(path.join(import.meta.dirname, 'descriptions.json'), `{\n${types.join(',\n')}\n}\n`);
  writeFileSync(path.join(import.meta.dirname, 'descriptions.licences'), PACKAGES.map(licenceOf).join('\n'));
} finally {
  rmSync(root, { recursive: true });
}

function fetchPackage(name) {
  const folder = path.join(root, name.slice(0, name.lastIndexOf('@')));
  mkdirSync(folder, { recursive: true });
  const file = execFileSync('npm', ['pack', '--silent', name], { cwd: root, encoding: 'utf8' }).trim();
  execFileSync('tar', ['-xzf', path.join(root, file), '-C', folder, '--strip-components=1']);
}

function licenceOf(nameAndVersion) {
  const folder = path.join(root, nameAndVersion.slice(0, nameAndVersion.lastIndexOf('@')));
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return `${name} ${version} (${license})\n\n${readFileSync(path.join(folder, 'LICENSE'), 'utf8').trim()}\n`;
}

/**
 * The table of descriptions, by the type names of `k8s-types.json`. Types of later versions of Kubernetes, which the
 * package does not have, are left out.
 * @returns {import('../../manifest/support/explained-field.ts').Descriptions}
 */
function fieldDescriptions() {
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
  const match = INTERFACE.exec(source);
  if (match === null) return { text: '', fields: {} };
  const [, comment, , body] = match;
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
