internal import HoistBase
internal import HoistCore

/// The visitors of a site (4.3, 4.5): one object per code while somebody holds it. Thread-safe, but for the calls of
/// `KameleoonPart`.
final class VisitorRegistry: KameleoonPart, @unchecked Sendable {
  private struct Held {
    weak var visitor: KameleoonVisitor?
  }

  private let host: any ProviderHost
  private let settings: KameleoonSettings
  private let tracker: Tracker
  private let held = Shared<[[UInt8]: Held]>([:])

  init(host: any ProviderHost, settings: KameleoonSettings, tracker: Tracker) {
    self.host = host
    self.settings = settings
    self.tracker = tracker
  }

  /// The visitor of that code: the one that is open, or a new one.
  func visitor(_ code: [UInt8], of client: Client?) -> KameleoonVisitor {
    held.withLock { held in
      if let known = held[code]?.visitor { return known }
      let new = KameleoonVisitor(client: client, code: code)
      held = held.filter { $0.value.visitor != nil }
      held[code] = Held(visitor: new)
      return new
    }
  }

  /// The client's own visitor becomes that of the context.
  func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    host.setCurrentContext(context)
    completion(.ok)
  }
}
