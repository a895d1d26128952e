import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isImagePattern, mostSpecificMatch } from '../../../src/lifecycle/environment/image-pattern.ts';

const SHA = `sha256:${'a'.repeat(64)}`;

function match(image: string, ...patterns: string[]): string | undefined {
  return mostSpecificMatch(
    image,
    patterns.map((pattern) => ({ pattern })),
  )?.pattern;
}

describe('mostSpecificMatch()', () => {
  it.each([
    ['nginx', 'nginx', true],
    ['nginx:1.25', 'nginx', true],
    [`nginx@${SHA}`, 'nginx', true],
    ['nginx-proxy', 'nginx', false],
    ['acme/nginx', 'nginx', false],
    ['nginx', 'nginx:latest', true],
    ['nginx', 'nginx:1.25', false],
    [`nginx@${SHA}`, 'nginx:latest', false],
    ['nginx', 'nginx:*', true],
    ['nginx:1.25', 'nginx:*', true],
    [`nginx@${SHA}`, 'nginx:*', true],
    ['nginx:1.25', 'nginx:1.*', true],
    ['nginx:2.0', 'nginx:1.*', false],
    [`nginx:1.25@${SHA}`, 'nginx:1.25', true],
    [`nginx:1.25@${SHA}`, `nginx@${SHA}`, true],
    [`nginx:1.25@${SHA}`, `nginx:1.25@${SHA}`, true],
    ['nginx:1', 'docker.io/library/nginx:1', true],
    ['nginx:1', 'docker.io/nginx', true],
    ['nginx:1', 'library/nginx:*', true],
    ['docker.io/library/nginx:1', 'nginx:1', true],
    ['acme/api:1', 'docker.io/acme/api:*', true],
    ['ghcr.io/acme/api:1', 'acme/api', false],
    ['ghcr.io/acme/api:1', 'ghcr.io/acme/*', true],
    ['ghcr.io/acme/team/api', 'ghcr.io/acme/*', true],
    ['ghcr.io/acme/api:1', '*/api', true],
    ['ghcr.io/acme/api:1', 'ghcr.io/*/api:*', true],
    ['localhost:5000/api:1', 'localhost:5000/api', true],
    ['anything/at:all', '*', true],
    ['NOT AN IMAGE', '*', true],
    ['NOT AN IMAGE', 'nginx', false],
  ])('%s against %s: %s', (image, pattern, want) => {
    expect(match(image, pattern) !== undefined).toBe(want);
  });

  it('takes the most specific pattern', () => {
    const patterns = ['nginx', '*', 'nginx:1.25', 'n*', 'docker.io/*', 'nginx:1.*', '*nginx', 'docker.io/library/*'];
    expect(match('nginx:1.25', ...patterns)).toBe('nginx:1.25');
    expect(match('nginx:1.26', ...patterns)).toBe('nginx:1.*');
    expect(match('docker.io/nginx:2', ...patterns)).toBe('nginx');
    expect(match('nats', ...patterns)).toBe('n*');
    expect(match('redis', ...patterns)).toBe('docker.io/library/*');
    expect(match('acme/redis', ...patterns)).toBe('docker.io/*');
    expect(match('quay.io/acme/nginx', ...patterns)).toBe('*nginx');
    expect(match('quay.io/acme/redis', ...patterns)).toBe('*');
    expect(match('redis', 'nginx')).toBeUndefined();
  });

  it('takes the last of two that say the same', () => {
    const entries = [
      { pattern: 'nginx', which: 1 },
      { pattern: 'nginx:*', which: 2 },
    ];
    expect(mostSpecificMatch('nginx', entries)?.which).toBe(2);
  });

  it('matches a pattern made by starring out any pieces of the image', () => {
    const image = 'ghcr.io/acme/api-server:v1.2';
    const cut = fc.nat(image.length);
    fc.assert(
      fc.property(fc.array(fc.tuple(cut, cut), { maxLength: 4 }), (holes) => {
        const starred = Array.from(image).map((char, at) => {
          return holes.some(([a, b]) => at >= Math.min(a, b) && at < Math.max(a, b)) ? '*' : char;
        });
        expect(match(image, starred.join('').replaceAll(/\*+/g, '*'))).toBeDefined();
      }),
    );
  });
});

describe('isImagePattern()', () => {
  it.each([
    ['nginx', true],
    ['*', true],
    ['ghcr.io/acme/api:*', true],
    [`nginx@${SHA}`, true],
    ['', false],
    ['nginx latest', false],
    ['nginx=1', false],
  ])('%s: %s', (text, want) => {
    expect(isImagePattern(text)).toBe(want);
  });
});
