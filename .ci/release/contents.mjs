// What a release says about itself, as pure functions: its notes, its bill of materials, and why it must not be made.

/** The mark of the line in package.json that the owner of the project fills in. */
export const UNFILLED = '// FILL IN';

/**
 * The notes of a version: its part of the changelog, without the heading. Undefined: the changelog has none.
 *
 * @param {string} changelog
 * @param {string} version
 */
export function notesOf(changelog, version) {
  const parts = changelog.split(/^## /m).slice(1);
  const part = parts.find((text) => headingOf(text) === version);
  return part?.slice(part.indexOf('\n')).trim();
}

/**
 * Why no release may be made of this state of the project, a sentence each.
 *
 * @param {{ manifest: Record<string, string>; changelog: string; changes: string; tag: string | undefined }} state
 *   manifest: package.json. changes: what `git status --porcelain` prints. tag: the git tag that is released, if any.
 */
export function refusals({ manifest, changelog, changes, tag }) {
  const { version } = manifest;
  const newest = headingOf(changelog.split(/^## /m)[1] ?? '');
  return [
    changes !== '' && `the working tree has changes that are not committed:\n${changes.trimEnd()}`,
    UNFILLED in manifest && `package.json: the line "${UNFILLED}" is not filled in: ${manifest[UNFILLED]}`,
    newest !== version && `CHANGELOG.md: the newest version is ${newest}, and ${version} in package.json`,
    notesOf(changelog, version) === '' && `CHANGELOG.md: nothing is said of ${version}`,
    tag !== undefined && tag !== `v${version}` && `the tag ${tag} is not v${version}, the version in package.json`,
  ].filter((sentence) => sentence !== false);
}

/**
 * The bill of materials of podrun in CycloneDX: the packages that are bundled, and Node.js.
 *
 * @param {string} licences dist/THIRD_PARTY_LICENSES, which lists the bundled packages
 * @param {{ version: string; nodeVersion: string }} versions of podrun, and of the Node.js in its executables
 */
export function billOf(licences, { version, nodeVersion }) {
  const bundled = licences.matchAll(/^-{80}\n\n(\S+) (\d\S*) \((.+)\)$/gm);
  const components = [...bundled].map(([, name, at, licence]) => ({
    ...packageOf('library', name, at),
    licenses: [{ expression: licence }],
  }));
  const node = { ...packageOf('platform', 'node', nodeVersion), description: 'in the executables only' };
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: packageOf('application', 'podrun', version) },
    components: [...components, node],
  };
}

function packageOf(type, name, version) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { 'bom-ref': purl, type, name, version, purl };
}

/** The version in a heading of the changelog: `1.0.0` of `1.0.0 (unreleased)`. */
const headingOf = (part) => /^\S+/.exec(part)?.[0];
