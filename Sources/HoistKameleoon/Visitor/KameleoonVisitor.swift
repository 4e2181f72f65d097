internal import HoistBase
internal import HoistCore

/// A visitor of a site: what the vendor calls a client (KAM-14). Thread-safe.
///
/// It holds its client weakly: without the client nothing is ready.
public final class KameleoonVisitor: @unchecked Sendable {
  /// Set once.
  nonisolated(unsafe) private(set) weak var client: Client?
  /// KAM-44
  public let code: [UInt8]

  init(client: Client?, code: [UInt8]) {
    self.client = client
    self.code = code
  }
}
