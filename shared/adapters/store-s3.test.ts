import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { InvalidInput, NotFound, ServiceUnavailable } from '../contracts/index.ts';
import { fakeWire, type WireAnswer, type WireRequest } from './fake-aws.ts';
import { createS3Store } from './store-s3.ts';

const xml = (body: string, status = 200): WireAnswer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body,
});
const error = (code: string, status: number) => xml(`<Error><Code>${code}</Code><Message>m</Message></Error>`, status);

function storeOn(answer: (request: WireRequest, call: number) => WireAnswer, prefix = 'run') {
  const wire = fakeWire(answer);
  return { store: createS3Store(new S3Client(wire.config), 'bucket', prefix), requests: wire.requests };
}

describe('S3 store', () => {
  it('reads and writes under its prefix', async () => {
    const { store, requests } = storeOn(() => ({ body: 'Grüße' }));
    expect(Buffer.from(await store.get('a/b c')).toString()).toBe('Grüße');
    await store.put('a/b c', 'x');
    expect(requests.map((r) => [r.method, r.headers.host, r.path])).toEqual([
      ['GET', 'bucket.s3.eu-central-1.amazonaws.com', '/run/a/b%20c'],
      ['PUT', 'bucket.s3.eu-central-1.amazonaws.com', '/run/a/b%20c'],
    ]);
    expect(store.uri('a/')).toBe('s3://bucket/run/a/');
  });

  it('brings a file', async () => {
    const { store, requests } = storeOn(() => ({}));
    await store.putFile('k', import.meta.filename);
    expect(requests.map((r) => [r.method, r.path])).toEqual([['PUT', '/run/k']]);
    expect(requests[0]?.body).toContain("it('brings a file'");
  });

  it('brings a large file in parts, and leaves no object when one of them fails', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'spade-s3-')), 'weights');
    await writeFile(path, '');
    await truncate(path, 130 << 20);
    const begun = '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>';
    const done = '<CompleteMultipartUploadResult><ETag>"e"</ETag></CompleteMultipartUploadResult>';
    const answers = ({ method, query }: WireRequest, failing?: string) => {
      if (method === 'POST') return xml('uploads' in query ? begun : done);
      return query.partNumber === failing ? error('AccessDenied', 403) : { headers: { etag: '"e"' } };
    };
    const whole = storeOn((request) => answers(request));
    await whole.store.putFile('k', path);
    const parts = whole.requests.filter(({ method }) => method === 'PUT');
    expect(parts.map(({ query }) => query.partNumber).sort()).toEqual(['1', '2', '3']);
    expect(whole.requests.at(-1)?.method).toBe('POST');
    const broken = storeOn((request) => answers(request, '2'));
    await expect(broken.store.putFile('k', path)).rejects.toBeInstanceOf(InvalidInput);
    expect(broken.requests.at(-1)?.method).toBe('DELETE');
    await rm(dirname(path), { recursive: true });
  });

  it('reads in pieces what may not fit into memory', async () => {
    const { store } = storeOn(() => ({ body: 'in pieces' }));
    const pieces: Uint8Array[] = [];
    for await (const piece of store.chunks('k')) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('in pieces');
    const missing = storeOn(() => error('NoSuchKey', 404)).store.chunks('k');
    await expect(missing[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(NotFound);
  });

  it('claims a free key by If-None-Match, and sees that it was taken', async () => {
    const { store, requests } = storeOn((_, call) => (call === 1 ? {} : error('PreconditionFailed', 412)));
    expect(await store.putIfAbsent('k', 'x')).toBe(true);
    expect(await store.putIfAbsent('k', 'x')).toBe(false);
    expect(requests[0]?.headers['if-none-match']).toBe('*');
  });

  it('claims again after a conflict with a writer in flight', async () => {
    const { store } = storeOn((_, call) => (call < 3 ? error('ConditionalRequestConflict', 409) : {}));
    expect(await store.putIfAbsent('k', 'x')).toBe(true);
  });

  it('calls only a missing key missing', async () => {
    const missing = storeOn(({ method }) => (method === 'HEAD' ? { status: 404 } : error('NoSuchKey', 404)));
    expect(await missing.store.find('k')).toBeNull();
    expect(await missing.store.exists('k')).toBe(false);
    await expect(missing.store.get('k')).rejects.toBeInstanceOf(NotFound);
    const bucket = storeOn(() => error('NoSuchBucket', 404));
    await expect(bucket.store.find('k')).rejects.toThrow(/NoSuchBucket/);
    const forbidden = storeOn(({ method }) => (method === 'HEAD' ? { status: 403 } : error('AccessDenied', 403)));
    await expect(forbidden.store.find('k')).rejects.toBeInstanceOf(InvalidInput);
    await expect(forbidden.store.exists('k')).rejects.toBeInstanceOf(InvalidInput);
  });

  it('says when it may work later', async () => {
    const { store } = storeOn(() => error('SlowDown', 503));
    await expect(store.get('k')).rejects.toBeInstanceOf(ServiceUnavailable);
    await expect(store.putIfAbsent('k', '')).rejects.toBeInstanceOf(ServiceUnavailable);
  });

  it('lists page after page, without its own prefix', async () => {
    const page = (keys: string[], next = '') =>
      xml(
        `<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${
          next && `<NextContinuationToken>${next}</NextContinuationToken>`
        }${keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}</ListBucketResult>`,
      );
    const { store, requests } = storeOn((_, call) =>
      call === 1 ? page(['run/a/1', 'run/a/2'], 'T') : page(['run/a/3']),
    );
    expect(await store.list('a/')).toEqual(['a/1', 'a/2', 'a/3']);
    expect(requests.map((r) => [r.query.prefix, r.query['continuation-token']])).toEqual([
      ['run/a/', undefined],
      ['run/a/', 'T'],
    ]);
  });

  it('refuses a key that would leave its prefix, before any request', async () => {
    const { store, requests } = storeOn(() => ({}));
    await expect(async () => store.get('../other/k')).rejects.toBeInstanceOf(InvalidInput);
    expect(requests).toEqual([]);
  });
});
