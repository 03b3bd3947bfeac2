import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, environmentHash, normaliseSource, sha256Hex } from './canonical-json.ts';

describe('canonicalJson', () => {
  it('sorts keys at every depth and leaves no blanks', () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'ü' })).toBe('{"a":"ü","b":[{"c":null,"d":1}]}');
    expect(canonicalJson({ 10: 1, 9: 2 })).toBe('{"10":1,"9":2}');
  });

  it('leaves out undefined members and writes −0 as 0', () => {
    expect(canonicalJson({ a: undefined, b: -0 })).toBe('{"b":0}');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, [undefined], { a: 1n }, () => 1])('refuses %o', (value) => {
    expect(() => canonicalJson(value)).toThrow('JSON cannot hold');
  });

  it('parses back to the same value, whatever the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.integer()), (record) => {
        const reversed = Object.fromEntries(Object.entries(record).reverse());
        return canonicalJson(reversed) === canonicalJson(record);
      }),
    );
  });
});

describe('environmentHash', () => {
  it('does not see line ends, trailing blanks and final newlines', () => {
    const hash = environmentHash('class AEnv:\n    pass\n');
    expect(environmentHash('class AEnv:  \r\n    pass\t\r\n\r\n\r\n')).toBe(hash);
    expect(environmentHash('class AEnv:\r    pass')).toBe(hash);
    expect(hash).toBe(sha256Hex('class AEnv:\n    pass\n'));
  });

  it('sees indentation', () => {
    expect(environmentHash('class AEnv:\n  pass\n')).not.toBe(environmentHash('class AEnv:\n    pass\n'));
  });

  it('normalises to a fixed point', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '\t', '\n', '\r') }), (text) => {
        const once = normaliseSource(text);
        return normaliseSource(once) === once && !once.includes('\r');
      }),
    );
  });
});
