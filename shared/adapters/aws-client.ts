/**
 * Settings of every AWS client. Without a deadline the SDK waits for ever on a connection whose other end is silent; without
 * `throwOnRequestTimeout` it only logs that the deadline has passed.
 *
 * @param requestTimeout - until the answer's headers, milliseconds, for each attempt
 */
export function clientSettings(requestTimeout: number, maxAttempts = 5) {
  return {
    maxAttempts,
    requestHandler: { connectionTimeout: 5_000, requestTimeout, throwOnRequestTimeout: true },
  } as const;
}
