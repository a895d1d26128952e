// Copies the conformance scenarios that podrun promises to pass (scope.json) into a fresh folder and prints its path.
//
//   node test/scenarios/select.mjs SCENARIOS_FOLDER process|namespace [THEME...|SCENARIO...|GROUP|unrecorded]
//
// unrecorded: those that test/traces does not compare with the recording of a node, without namespaces
//
// The runner takes a folder; what is out of scope must neither fail the run nor wait for its time limit.

import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const [from, runtime, ...themes] = process.argv.slice(2);
if (from === undefined || !['process', 'namespace'].includes(runtime)) {
  throw new Error('usage: node test/scenarios/select.mjs SCENARIOS_FOLDER process|namespace [THEME...]');
}

const scope = JSON.parse(readFileSync(new URL('scope.json', import.meta.url), 'utf8'));
const isUnrecorded = themes[0] === 'unrecorded';
const wanted = themes.length === 0 || isUnrecorded ? scope.themes : themes.flatMap((theme) => scope[theme] ?? theme);
const isRecorded = (id) => existsSync(new URL(`../golden/traces/${id}.ndjson`, import.meta.url));
const isExcepted = (id) =>
  id in scope.beyond || (isUnrecorded && isRecorded(id)) || (runtime === 'process' && id in scope.needsNamespaces);
const into = mkdtempSync(path.join(tmpdir(), 'podrun-scope-'));
const files = readdirSync(from).filter((file) => file.endsWith('.yaml'));
for (const file of files) {
  const text = readFileSync(path.join(from, file), 'utf8');
  const theme = /^theme: *(\S+)/m.exec(text)?.[1];
  const id = path.basename(file, '.yaml');
  const isNamed = wanted.includes(theme) || wanted.includes(id);
  if (isNamed && !isExcepted(id)) writeFileSync(path.join(into, file), corrected(id, text));
}

// Replaces an expectation that chance decides, on a node as well.
function corrected(id, text) {
  if (!Object.hasOwn(scope.corrected, id)) return text;
  const { from: before, to } = scope.corrected[id];
  if (!text.includes(before)) throw new Error(`${id}: scope.json corrects a text that is not there: ${before}`);
  return text.replace(before, to);
}

process.stdout.write(`${into}\n`);
