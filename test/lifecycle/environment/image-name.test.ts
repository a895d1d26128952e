import { describe, expect, it } from 'vitest';
import { invalidImageMessage } from '../../../src/lifecycle/environment/image-pattern.ts';

describe('invalidImageMessage()', () => {
  it('is the message of the waiting state', () => {
    expect(invalidImageMessage('BAD//image:::name')).toBe(
      'Failed to apply default image tag "BAD//image:::name": ' +
        'couldn\'t parse image name "BAD//image:::name": invalid reference format',
    );
  });

  it('has nothing to say about an image name that is one', () => {
    expect(invalidImageMessage('ghcr.io/acme/api:1')).toBeUndefined();
  });
});
