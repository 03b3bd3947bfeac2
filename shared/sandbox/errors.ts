/** The sandbox cannot be started with the walls that were asked for. It fails closed: nothing is run without them. */
export class SandboxUnavailable extends Error {
  public static readonly wireName = 'SandboxUnavailable';
  public override readonly name = SandboxUnavailable.wireName;
  public readonly boundary = 'sandbox';
  public readonly retryable = false;
  /** The reason code that episodes get when there is no sandbox to play them. */
  public readonly reason = 'infra.sandbox_unavailable';

  public constructor(detail: string, options?: ErrorOptions) {
    super(`the sandbox is unavailable: ${detail}`, options);
  }
}

/** What a sandboxed process sent is not a reply. Internal: it becomes a reason code before it leaves this folder. */
export class ProtocolFault extends Error {
  public override readonly name = 'ProtocolFault';
  public readonly reason: 'protocol.malformed' | 'protocol.unsolicited' | 'limit.frame';

  public constructor(reason: ProtocolFault['reason'], detail: string) {
    super(detail);
    this.reason = reason;
  }
}
