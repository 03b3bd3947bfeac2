import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProtocolFault } from './errors.ts';
import { decodeEnvelope, encodeFrame, FrameParser } from './frames.ts';

const CAP = 1000;
const reasonOf = (act: () => unknown): string => {
  try {
    act();
    return 'none';
  } catch (error) {
    if (error instanceof ProtocolFault) return error.reason;
    throw error;
  }
};

describe('FrameParser', () => {
  it('gives back the frames that were sent, however the stream was cut', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 6 }), cuts, (messages, sizes) => {
        const stream = Buffer.concat(messages.map(encodeFrame));
        const parser = new FrameParser(100_000);
        const bodies: string[] = [];
        for (let at = 0, i = 0; at < stream.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          bodies.push(...parser.push(stream.subarray(at, at + size)).map(String));
          at += size;
        }
        expect(bodies).toEqual(messages.map((message) => JSON.stringify(message)));
        expect(parser.partial).toBe(false);
      }),
    );
  });

  it('never keeps more than the cap and the last chunk, and fails with a reason, whatever bytes come', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }), (chunks) => {
        const parser = new FrameParser(CAP);
        const reason = reasonOf(() => chunks.forEach((chunk) => void parser.push(Buffer.from(chunk))));
        expect(['none', 'limit.frame']).toContain(reason);
      }),
    );
  });

  it('refuses an announced length above the cap before the body arrives', () => {
    const header = Buffer.alloc(4);
    header.writeUInt32BE(CAP + 1);
    expect(reasonOf(() => new FrameParser(CAP).push(header))).toBe('limit.frame');
    header.writeUInt32BE(CAP);
    expect(new FrameParser(CAP).push(header)).toEqual([]);
  });
});

describe('decodeEnvelope', () => {
  it('reads values and faults', () => {
    expect(decodeEnvelope(Buffer.from('{"i":3,"v":[1]}'))).toEqual({ index: 3, value: [1] });
    expect(decodeEnvelope(Buffer.from('{"i":0,"e":["env.exception","x"]}'))).toEqual({
      index: 0,
      fault: ['env.exception', 'x'],
    });
  });

  it.each([
    '',
    'null',
    '[]',
    '7',
    '{}',
    '{"v":1}',
    '{"i":"0","v":1}',
    '{"i":0}',
    '{"i":0,"v":NaN}',
    '{"i":0,"e":"x"}',
    '{"i":0,"e":["a"]}',
    '{"i":0,"e":["a",1]}',
    '{"i":0,"v":1',
  ])('refuses %j', (text) => {
    expect(reasonOf(() => decodeEnvelope(Buffer.from(text)))).toBe('protocol.malformed');
  });

  it('refuses invalid UTF-8 and survives 100,000 nested arrays', () => {
    expect(reasonOf(() => decodeEnvelope(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])))).toBe('protocol.malformed');
    const deep = `{"i":0,"v":${'['.repeat(1e5)}${']'.repeat(1e5)}}`;
    expect(['none', 'protocol.malformed']).toContain(reasonOf(() => decodeEnvelope(Buffer.from(deep))));
  });

  it('does not let a __proto__ key reach a prototype', () => {
    decodeEnvelope(Buffer.from('{"i":0,"v":1,"__proto__":{"polluted":true}}'));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('throws nothing but protocol faults', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(['none', 'protocol.malformed']).toContain(reasonOf(() => decodeEnvelope(Buffer.from(bytes))));
      }),
    );
  });
});
