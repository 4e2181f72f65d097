internal import HoistBase
internal import HoistCore

/// How the client is connected (5.8; LD-16, LD-74). Readable from any thread.
final class ConnectionState: LaunchDarklyPart, @unchecked Sendable {
  enum Mode: Int32, Sendable {
    case offline = 0, establishingStreamingConnection, streaming, polling
  }

  private let host: any ProviderHost
  private let current = Shared(Mode.offline)

  init(host: any ProviderHost) { self.host = host }

  var mode: Mode { current.withLock { $0 } }
}
