import { describe, expect, it } from 'vitest';
import { defaultPullPolicy, parseImageReference } from '../../src/api/image-reference.ts';

const SHA = 'a'.repeat(64);
const UPPER_SHA = 'A'.repeat(64);

/** The full form of the reference, or its error. */
function fullForm(image: string): string {
  const outcome = parseImageReference(image);
  if (!outcome.ok) return outcome.reason;
  const { domain, path, tag, digest } = outcome.reference;
  return `${domain}/${path}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}

describe('parseImageReference()', () => {
  it.each([
    ['nginx', 'docker.io/library/nginx'],
    ['nginx:1.25', 'docker.io/library/nginx:1.25'],
    ['acme/api', 'docker.io/acme/api'],
    ['docker.io/nginx', 'docker.io/library/nginx'],
    ['index.docker.io/library/nginx', 'docker.io/library/nginx'],
    ['localhost/app', 'localhost/app'],
    ['localhost:5000/app:dev', 'localhost:5000/app:dev'],
    ['app:5000', 'docker.io/library/app:5000'],
    ['ghcr.io/acme/api/server:v1', 'ghcr.io/acme/api/server:v1'],
    ['[fd00::1]:5000/app', '[fd00::1]:5000/app'],
    ['Registry/app', 'Registry/app'],
    ['acme/a__b.c-d--e/f_g', 'docker.io/acme/a__b.c-d--e/f_g'],
    ['under_score/a', 'docker.io/under_score/a'],
    [`nginx@sha256:${SHA}`, `docker.io/library/nginx@sha256:${SHA}`],
    [`nginx:1@sha256:${SHA}`, `docker.io/library/nginx:1@sha256:${SHA}`],
    [`nginx:${'t'.repeat(128)}`, `docker.io/library/nginx:${'t'.repeat(128)}`],
    [`quay.io/${'p'.repeat(255)}`, `quay.io/${'p'.repeat(255)}`],
  ])('reads %s', (image, want) => {
    expect(fullForm(image)).toBe(want);
  });

  it.each([
    ['BAD//image:::name', 'invalid reference format'],
    ['Nginx:1', 'invalid reference format: repository name (library/Nginx) must be lowercase'],
    ['ghcr.io/Acme/api:1', 'invalid reference format: repository name (Acme/api) must be lowercase'],
    [SHA, `invalid repository name (${SHA}), cannot specify 64-byte hexadecimal strings`],
    ['', 'invalid reference format'],
    [' nginx', 'invalid reference format'],
    ['nginx:', 'invalid reference format'],
    ['nginx:.1', 'invalid reference format'],
    ['nginx:1:2', 'invalid reference format'],
    [`nginx:${'t'.repeat(129)}`, 'invalid reference format'],
    ['a___b', 'invalid reference format'],
    ['a..b/c', 'invalid reference format'],
    ['-a', 'invalid reference format'],
    ['host:port/app', 'invalid reference format'],
    ['ghcr.io//api', 'invalid reference format'],
    ['nginx@sha256:abc', 'invalid reference format'],
    ['nginx@', 'invalid reference format'],
    [`quay.io/${'p'.repeat(256)}`, 'repository name must not be more than 255 characters'],
    [`nginx@md5:${SHA}`, 'unsupported digest algorithm'],
    [`nginx@sha512:${SHA}`, 'invalid checksum digest length'],
    [`nginx@sha256:${UPPER_SHA}`, 'invalid checksum digest format'],
  ])('refuses %s', (image, want) => {
    expect(fullForm(image)).toBe(want);
  });

  it('takes no noticeable time for a long name', () => {
    const long = ['a-', 'a/', 'a.', 'a:', '-'].map((piece) => piece.repeat(100_000));
    expect(long.map((image) => parseImageReference(image).ok)).toEqual([false, false, false, false, false]);
  });
});

describe('defaultPullPolicy()', () => {
  it.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['nginx:1.25', 'IfNotPresent'],
    ['localhost:5000/nginx', 'Always'],
    [`nginx@sha256:${SHA}`, 'IfNotPresent'],
    [`nginx:latest@sha256:${SHA}`, 'Always'],
    ['NGINX', 'IfNotPresent'],
  ])('of %s is %s', (image, want) => {
    expect(defaultPullPolicy(image)).toBe(want);
  });
});
