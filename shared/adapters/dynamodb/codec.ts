import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { InvalidInput } from '../../contracts/index.ts';

/** What an item may hold: JSON, with finite numbers. */
export type ItemValue = string | number | boolean | null | readonly ItemValue[] | { readonly [key: string]: ItemValue };
/** An item by attribute name. */
export type Item = Readonly<Record<string, ItemValue>>;

/** DynamoDB keeps numbers of magnitude 1e-130 to just below 1e126 with 38 digits; a double needs at most 17. */
const SMALLEST = 1e-130;
const LARGEST = 9.99e125;

/**
 * Attribute values of an item. What is written is read back exactly; what cannot be is refused with the path to it: NaN and infinities,
 * numbers outside DynamoDB's range, negative zero (DynamoDB drops the sign), undefined and anything that is not JSON.
 *
 * @throws {InvalidInput}
 */
export function encodeItem(item: object): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, encode(value, name)]));
}

/** The inverse of {@link encodeItem}. */
export function decodeItem(attributes: Readonly<Record<string, AttributeValue>>): Item {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, decode(value, name)]));
}

/** Encodes one value; see {@link encodeItem}. */
export function encode(value: unknown, path = 'value'): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: wellFormed(value, path) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'number') return { N: encodeNumber(value, path) };
  if (Array.isArray(value)) return { L: value.map((element, i) => encode(element, `${path}[${i}]`)) };
  if (isPlainObject(value)) {
    return { M: Object.fromEntries(Object.entries(value).map(([key, v]) => [key, encode(v, `${path}.${key}`)])) };
  }
  return refuse(path, `${typeof value} is not JSON`);
}

function encodeNumber(value: number, path: string): string {
  if (!Number.isFinite(value)) refuse(path, `${value} is not a finite number`);
  if (Object.is(value, -0)) refuse(path, 'negative zero would lose its sign');
  const magnitude = Math.abs(value);
  if (value !== 0 && (magnitude < SMALLEST || magnitude > LARGEST))
    refuse(path, `${value} is outside DynamoDB's range`);
  // The shortest text that reads back as the same double: at most 17 digits.
  return String(value);
}

function decode(attribute: AttributeValue, path: string): ItemValue {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return Number(attribute.N);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.NULL !== undefined) return null;
  if (attribute.L !== undefined) return attribute.L.map((element, i) => decode(element, `${path}[${i}]`));
  if (attribute.M !== undefined) return decodeItem(attribute.M);
  return refuse(path, `attribute type ${Object.keys(attribute)[0]} is not used by this project`);
}

/** A lone surrogate would be replaced on its way through UTF-8. */
function wellFormed(text: string, path: string): string {
  return text.isWellFormed() ? text : refuse(path, 'text is not well-formed Unicode');
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

function refuse(path: string, reason: string): never {
  throw new InvalidInput('table item', [`${path}: ${reason}`]);
}
