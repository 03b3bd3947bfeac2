import { createReadStream } from 'node:fs';
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { NotFound, SpadeError } from '../contracts/index.ts';
import type { Store } from '../ports/index.ts';
import { clientSettings } from './aws-client.ts';
import { awsError, nameOf } from './aws-errors.ts';
import { checkKey, checkPrefix } from './object-key.ts';

/** Attempts of a conditional write that loses against another writer in flight (S3 answers 409 and asks for another try). */
const CLAIM_ATTEMPTS = 5;

/** {@link createS3Store} with the credentials of the environment. The client is named here and not imported whole, for small bundles. */
export function openS3Store(bucket: string, prefix: string): Store {
  return createS3Store(new S3Client(clientSettings(60_000)), bucket, prefix);
}

/**
 * A store in an S3 bucket, under an optional prefix.
 *
 * Only `NoSuchKey` and a 404 of `HeadObject` count as "nothing stored"; a refused permission is never taken for an empty key. (Without
 * `s3:ListBucket` S3 answers 403 for a missing key, so the units' roles have it on their prefixes.)
 *
 * @param prefix - without slashes at the ends; empty for the whole bucket
 */
export function createS3Store(client: S3Client, bucket: string, prefix = ''): Store {
  const root = prefix === '' ? '' : `${checkKey(prefix)}/`;
  const address = (key: string) => ({ Bucket: bucket, Key: root + checkKey(key) });
  const guarded = <T>(action: () => Promise<T>) => call(`s3://${bucket}`, action);
  const find = (key: string) => guarded(() => findObject(client, address(key)));
  return {
    find,
    async get(key) {
      const body = await find(key);
      if (body === null) throw new NotFound(`s3://${bucket}/${root}${key}`);
      return body;
    },
    chunks: (key) => chunks(client, address(key)),
    put: (key, body) =>
      guarded(() => client.send(new PutObjectCommand({ ...address(key), Body: bytes(body) }))).then(() => undefined),
    putFile: (key, path) => guarded(() => uploadFile(client, address(key), path)),
    putIfAbsent: (key, body) => guarded(() => claimObject(client, { ...address(key), Body: bytes(body) })),
    exists: (key) => guarded(() => objectExists(client, address(key))),
    list: (keyPrefix) => guarded(() => listKeys(client, bucket, root, checkPrefix(keyPrefix))),
    uri: (key) => `s3://${bucket}/${root}${checkPrefix(key)}`,
  };
}

function bytes(body: Uint8Array | string): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body) : body;
}

/** Bytes of a part: S3 takes 10,000 of them. */
const PART_BYTES = 64 << 20;

/** In parts, each tried again by itself. The library is loaded here, because only people's commands bring files. */
async function uploadFile(client: S3Client, address: Address, path: string): Promise<void> {
  const { Upload } = await import('@aws-sdk/lib-storage');
  const upload = new Upload({
    client,
    params: { ...address, Body: createReadStream(path) },
    partSize: PART_BYTES,
    queueSize: 4,
  });
  await upload.done();
}

interface Address {
  readonly Bucket: string;
  readonly Key: string;
}

async function findObject(client: S3Client, address: Address): Promise<Uint8Array | null> {
  try {
    const answer = await client.send(new GetObjectCommand(address));
    return answer.Body === undefined ? new Uint8Array() : await answer.Body.transformToByteArray();
  } catch (error) {
    if (nameOf(error) === 'NoSuchKey') return null;
    throw error;
  }
}

async function* chunks(client: S3Client, address: Address): AsyncGenerator<Uint8Array> {
  const uri = `s3://${address.Bucket}/${address.Key}`;
  try {
    const { Body } = await client.send(new GetObjectCommand(address));
    // On Node the body is a stream of buffers.
    if (Body !== undefined) yield* Body as unknown as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw nameOf(error) === 'NoSuchKey' ? new NotFound(uri, { cause: error }) : awsError(uri, error);
  }
}

async function objectExists(client: S3Client, address: Address): Promise<boolean> {
  try {
    await client.send(new HeadObjectCommand(address));
    return true;
  } catch (error) {
    // A HEAD answer has no body, so S3 cannot say NoSuchKey: the client names the bare 404 NotFound.
    if (nameOf(error) === 'NotFound') return false;
    throw error;
  }
}

async function claimObject(client: S3Client, object: Address & { Body: Uint8Array }): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.send(new PutObjectCommand({ ...object, IfNoneMatch: '*' }));
      return true;
    } catch (error) {
      if (nameOf(error) === 'PreconditionFailed') return false;
      if (nameOf(error) !== 'ConditionalRequestConflict' || attempt === CLAIM_ATTEMPTS) throw error;
    }
  }
}

async function listKeys(client: S3Client, bucket: string, root: string, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: root + prefix, ...(token && { ContinuationToken: token }) }),
    );
    for (const { Key } of page.Contents ?? []) if (Key !== undefined) keys.push(Key.slice(root.length));
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
  return keys;
}

async function call<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw error instanceof SpadeError ? error : awsError(what, error);
  }
}
