import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from '../../../src/apiserver/protobuf/index.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(/\s/g, ''), 'hex');

describe('a body in protobuf', () => {
  it('is read as kubectl create configmap writes it', () => {
    const body = bytes(`
      6b387300 0a0f 0a027631 1209 436f6e6669674d6170 121c
      0a12 0a026331 1200 1a00 2200 2a00 3200 3800 4200 1206 0a0161 120162 1a00 2200`);
    expect(decodeProtobuf(body)).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c1' },
      data: { a: 'b' },
    });
  });

  it.each([
    ['without its prefix', '7b7d', 'expected prefix [107 56 115 0]'],
    ['of an unknown kind', '6b387300 0a08 0a027631 12024e6f', 'no kind "No" is registered for version "v1"'],
    ['that is cut off', '6b387300 0a0f 0a027631', 'unexpected EOF'],
    ['with nothing in it', '6b387300', 'no kind ""'],
  ])('%s is refused', (_, hex, why) => {
    expect(() => decodeProtobuf(bytes(hex))).toThrow(SyntaxError);
    expect(() => decodeProtobuf(bytes(hex))).toThrow(why);
  });
});
